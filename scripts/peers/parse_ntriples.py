"""Parses an N-Triples file with pyoxigraph and says how fast: parse_ntriples.py PATH"""
import sys
import time

import pyoxigraph

begun = time.perf_counter()
count = sum(1 for _ in pyoxigraph.parse(path=sys.argv[1], format=pyoxigraph.RdfFormat.N_TRIPLES))
seconds = time.perf_counter() - begun
print(f'{{"statements": {count}, "seconds": {seconds:.3f}, "statements_per_second": {count / seconds:.0f}, '
      f'"pyoxigraph": "{pyoxigraph.__version__}"}}')
