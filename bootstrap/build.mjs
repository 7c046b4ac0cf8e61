#!/usr/bin/env node
import { buildWebWhenStale, fail, prepare } from './prepare.mjs'

/** Builds the pages into dist/ when they are older than their sources; with `--always`, in any case. */

prepare()
  .then((node) => buildWebWhenStale(node, { always: process.argv.includes('--always') }))
  .catch(fail)
