import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Turnpike runs on this Node.js or a newer one; an older one may only start it. */
const nodeMajor = 24

/** An error whose message is a sentence for the person at the terminal: printed without a stack. */
export class Sentence extends Error {}

/** @typedef {{ version: string, platform: string, arch: string, execPath: string }} Machine */

/** @type {Machine} */
const thisMachine = {
  version: process.versions.node,
  platform: process.platform,
  arch: process.arch,
  execPath: process.execPath,
}

const isNewEnough = (/** @type {Machine} */ machine) => Number(machine.version.split('.')[0]) >= nodeMajor

const hasOurs = (/** @type {Machine} */ { platform, arch }) =>
  platform === 'linux' && (arch === 'x64' || arch === 'arm64')

/** Refuses, before anything is installed, a machine on which Turnpike cannot run. */
export function refuseOldNode(machine = thisMachine) {
  if (isNewEnough(machine) || hasOurs(machine)) return
  throw new Sentence(
    `Turnpike needs Node.js ${nodeMajor} or newer, and this is Node.js ${machine.version} on ${machine.platform} ${machine.arch}. ` +
      `Install a newer one from https://nodejs.org and run the command again.`,
  )
}

/**
 * The program that runs Turnpike: this Node.js when it is new enough, else the one that came with the
 * packages.
 * @returns {string}
 */
export function findNode(/** @type {string} */ root, machine = thisMachine) {
  if (isNewEnough(machine)) return machine.execPath
  refuseOldNode(machine)
  const ours = join(root, 'node_modules', `node-linux-${machine.arch}`, 'bin', 'node')
  if (existsSync(ours)) return ours
  throw new Sentence(
    `Turnpike needs Node.js ${nodeMajor} or newer, and this is Node.js ${machine.version}. ` +
      `The package node-linux-${machine.arch} that brings one was not installed: ` +
      `remove node_modules and run the command again, or install a newer Node.js.`,
  )
}
