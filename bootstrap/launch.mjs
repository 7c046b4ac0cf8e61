import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { Sentence } from './node.mjs'
import { environmentFor, fail, prepare, root } from './prepare.mjs'

/**
 * Makes the clone ready, then runs a TypeScript program with Node.js 24 and passes on everything between it
 * and the program that started this process: input and output, signals, the exit code.
 *
 * The contract with the program:
 * - There is an IPC channel, used for nothing but this: it closes when the launcher dies, even by kill -9. A
 *   long-running program stops gracefully on it:
 *       if (process.channel) {
 *         process.once('disconnect', stop)
 *         process.channel.unref()      // after the listener, which would keep the process alive
 *       }
 *   Started directly (node src/main/commands/turnpike.ts up), it has no channel and nothing to watch.
 * - SIGINT, SIGTERM and SIGHUP ask for a graceful stop, for which the launcher waits without limit. Ctrl-C in
 *   a terminal reaches the whole process group, so the launcher does not pass it on; without a terminal it
 *   does. A supervisor that signals a whole group without a terminal makes the program see the signal twice:
 *   two within a second are one request.
 * - The exit code is passed on; a program that died of a signal makes the launcher die of the same signal.
 */

const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY

/** @type {NodeJS.Signals[]} */
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * @param {string} file the program, relative to the root of the clone
 * @param {string[]} parameters
 * @param {{ web?: boolean }} [options] `web`: the program serves pages, which are built when they are stale
 */
export function launch(file, parameters, options) {
  prepare(options)
    .then((node) => start(node, [join(root, file), ...parameters]))
    .catch(fail)
}

function start(/** @type {string} */ node, /** @type {string[]} */ parameters) {
  const child = spawn(node, parameters, {
    env: environmentFor(node),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of passedOn) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !isTerminal) child.kill(signal)
    })
  }
  child.once('error', (error) => fail(new Sentence(`${node} cannot be started: ${error.message}.`)))
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // If the signal does not end this process (it may be blocked or ignored), it must exit anyway.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 500)
  })
}
