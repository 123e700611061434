"""Writes _models.py and _error_codes.py from the OpenAPI document.

python generate.py openapi.json           writes both files
python generate.py openapi.json --check   exits with 1 where they differ from what would be written
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent / "src" / "packshot"
HEADER = '"""Generated from the OpenAPI document by generate.py; not edited by hand."""\n\n'

FLAGS = [
    "--input-file-type=openapi",
    "--output-model-type=dataclasses.dataclass",
    "--frozen-dataclasses",
    # The lowest there is; what 3.9 lacks is replaced below.
    "--target-python-version=3.10",
    "--use-standard-collections",
    "--no-use-union-operator",
    "--enum-field-as-literal=all",
    "--use-schema-description",
    "--use-field-description",
    "--disable-timestamp",
    "--formatters=builtin",
]
# Requests: the client builds these itself.
REQUESTS = (
    "UploadForm",
    "BatchRequest",
    "ManyImagesRequest",
    "OneImageRequest",
    "BatchItem",
    "CheckForm",
    "CheckBody",
    "KeyCreation",
    "KeyChange",
    "KeyRoll",
)
# Of GET /api/v1/marketplaces, which this client does not ask.
UNASKED = ("Marketplaces", "Marketplace", "MarketplaceRule", "Requirement")
# For clients of remove.bg.
FOREIGN = "Removebg"


def models(document: dict[str, Any]) -> str:
    schemas = {
        name: schema
        for name, schema in document["components"]["schemas"].items()
        if name not in (*REQUESTS, *UNASKED) and not name.startswith(FOREIGN)
    }
    answers = {
        "openapi": document["openapi"],
        "info": document["info"],
        "paths": {},
        "components": {"schemas": schemas},
    }
    with tempfile.TemporaryDirectory() as folder:
        source, written = Path(folder, "openapi.json"), Path(folder, "models.py")
        source.write_text(json.dumps(answers), "utf-8")
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--output", str(written)]
        subprocess.run([*command, *FLAGS], check=True)
        text = written.read_text("utf-8")
    body = text[text.index("from __future__") :]
    return HEADER + body.replace(": TypeAlias = ", " = ").replace("TypeAlias, ", "")


def error_codes(document: dict[str, Any]) -> str:
    rows: dict[str, dict[str, Any]] = document["x-error-codes"]
    lines = [f'    "{code}": ({row["status"]}, "{row["scope"]}", {row["retryable"]}),' for code, row in rows.items()]
    table = "\n".join(lines)
    return (
        HEADER
        + "from __future__ import annotations\n\n"
        + "# Code: HTTP status; what it is about, a request or an image of it; whether a retry may succeed.\n"
        + f"ERROR_CODES: dict[str, tuple[int, str, bool]] = {{\n{table}\n}}\n"
    )


def main(arguments: list[str]) -> int:
    document = json.loads(Path(arguments[0]).read_text("utf-8"))
    files = {PACKAGE / "_models.py": models(document), PACKAGE / "_error_codes.py": error_codes(document)}
    if "--check" not in arguments:
        for path, text in files.items():
            path.write_text(text, "utf-8")
        return 0
    stale = [path.name for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    if stale:
        print(f"{', '.join(stale)}: not what the OpenAPI document says; run generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
