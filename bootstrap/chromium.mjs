import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Sentence } from './node.mjs'
import { run, say } from './prepare.mjs'

/** The browser of the browser tests: the system's own Chromium. */

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** @returns {string | null} the path of an installed Chromium */
export function findChromium(path = process.env['PATH'] ?? '') {
  const folders = ['/usr/bin', ...path.split(delimiter).filter((folder) => folder !== '')]
  const found = names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file))
  return found ?? null
}

/** Installs Chromium where that needs no password (root on Debian or Ubuntu). */
export async function ensureChromium() {
  if (findChromium() !== null) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Sentence(
      'The browser tests need Chromium: install it (Debian: apt-get install chromium) and run the command again.',
    )
  say('Installing Chromium for the browser tests …')
  const options = { cwd: '/', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  for (const parameters of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { code, output } = await run('apt-get', parameters, options)
    if (code !== 0)
      throw new Sentence(`${output.trim()}\nChromium could not be installed (apt-get ${parameters[0]}).`)
  }
}
