#!/usr/bin/env node
import { launch } from './launch.mjs'

/** `npm test`: runs test/run/run.ts in a clone that is made ready first. */

launch('test/run/run.ts', process.argv.slice(2), { web: !process.argv.includes('--without-browser') })
