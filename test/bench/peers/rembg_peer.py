"""rembg with the model that is named: one JSON line a photo on its input, and one on its output."""

import json
import sys
import time
from pathlib import Path

from rembg import new_session, remove

session = new_session(sys.argv[1])
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    begun = time.perf_counter()
    answer = {}
    try:
        Path(job["out"]).write_bytes(remove(Path(job["path"]).read_bytes(), session=session))
    except Exception as error:  # noqa: BLE001: whatever it is, it counts against the peer and is shown
        answer = {"error": str(error)}
    print(json.dumps({"ms": (time.perf_counter() - begun) * 1000, **answer}), flush=True)
