#!/usr/bin/env bash
# Training on a machine lent for half an hour: no network, 10 minutes a command, files in pieces. See README.md.
#   lent.sh store                keeps the pieces found in models/training/.lent
#   lent.sh train MINUTES        first call: makes the data set; then trains; checkpoint at the end
#   lent.sh finish OUT           exports, measures, and writes pieces of at most 15 MB
# Dry run on any machine: LENT_STORE=/some/folder LENT_COUNT=32 LENT_STEPS=20 lent.sh …
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
store=${LENT_STORE:-$HOME/packshot}
workers=${LENT_WORKERS:-$(nproc)}
python=${LENT_PYTHON:-python3}
export ENCODER_WEIGHTS=$store/efficientnet-lite0-57934424.pth
cd "$here"
mkdir -p "$store/raw" "$store/shards" "$store/run" "$store/held"
case ${1:-} in
  store)
    for piece in .lent/*; do
      case $piece in
        *.tar) tar xf "$piece" -C "$store/raw" ;;
        *) cp "$piece" "$store/" ;;
      esac
    done
    du -sh "$store"
    ;;
  train)
    began=$(date +%s)
    material=(--train-dir "$store" --raw "$store/raw" --workers "$workers")
    OMP_NUM_THREADS=1 $python -m matting.build views "${material[@]}" --isnet "$store/isnet-int8.onnx" --out "$store/shards" --count "${LENT_COUNT:-2400}"
    OMP_NUM_THREADS=1 $python -m matting.build views "${material[@]}" --out "$store/shards" --count "$((2 * ${LENT_COUNT:-2400}))"
    if [ ! -e "$store/held/tags.json" ]; then
      $python -m matting.build held "${material[@]}" --out "$store/held" --count "${LENT_HELD:-100}"
      $python -m matting.held "$store/held" --isnet "$store/isnet-int8.onnx" --threads "$workers"
    fi
    left=$($python -c "print(max(0.2, $2 - ($(date +%s) - $began) / 60))")
    $python -m matting.train --shards "$store/shards" --run "$store/run" --held "$store/held" --minutes "$left" --new-shards \
      --batch "${LENT_BATCH:-96}" --loaders "$workers" --threads "$workers" --steps "${LENT_STEPS:-1000000}" --steps-planned "${LENT_PLANNED:-12000}"
    ;;
  finish)
    out=$2
    mkdir -p "$out"
    $python -m matting.export --run "$store/run" --out "$out/vote.onnx" --half
    $python -m matting.evaluate "$store/held" --model "$out/vote.onnx" --out "$store/evaluation"
    cp "$store/evaluation/figures.md" "$store/evaluation/worst.png" "$store/run/figures.tsv" "$out/"
    split -b 15M -d "$store/run/checkpoint.pt" "$out/checkpoint.pt."
    ;;
  *) sed -n 2,7p "$0"; exit 2 ;;
esac
