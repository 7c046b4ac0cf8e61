/** Which Turnpike this is. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'

const root = path.resolve(import.meta.dirname, '../../..')

/** The version of package.json. */
export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))).version

/** A release brings this file; a clone has none. */
export const isRelease = existsSync(path.join(root, 'release.json'))

/** How the command line is called here. */
export const commandName = isRelease ? 'turnpike' : 'npm run turnpike --'
