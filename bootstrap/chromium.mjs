import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Sentence } from './node.mjs'
import { run, say } from './prepare.mjs'

/** The browser of the browser tests: the system's own Chromium. */

/** The headless shell first: it has no windows, and takes three fifths of the CPU time of the whole browser. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

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
  const apt = (/** @type {string[]} */ ...parameters) => run('apt-get', parameters, options)
  const updated = await apt('update')
  if (updated.code !== 0)
    throw new Sentence(`${updated.output.trim()}\nChromium could not be installed (apt-get update).`)
  const install = (/** @type {string} */ name) => apt('install', '-y', '--no-install-recommends', name)
  // Both are built from Debian's source package; releases before Debian 12 lack the headless shell.
  if ((await install('chromium-headless-shell')).code === 0) return
  const { code, output } = await install('chromium')
  if (code !== 0)
    throw new Sentence(`${output.trim()}\nChromium could not be installed (apt-get install chromium).`)
}
