/** The version of this program. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'

const root = path.resolve(import.meta.dirname, '../../..')

/** The version of package.json. */
export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))).version

/** Only releases contain this file. */
export const isRelease = existsSync(path.join(root, 'release.json'))

/** The command that starts this program. */
export const commandName = isRelease ? 'turnpike' : 'npm run turnpike --'

/** How the shop of this machine is started. */
export const startCommand = (): string =>
  isRelease && existsSync('/run/systemd/system') ? 'systemctl start turnpike' : `${commandName} up`
