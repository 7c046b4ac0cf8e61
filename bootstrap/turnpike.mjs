#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { environmentFor, fail, prepare, root } from './prepare.mjs'
import { Sentence } from './node.mjs'

/**
 * `turnpike <command …>`: makes the clone ready, then runs src/main/commands/turnpike.ts with these arguments and hands on
 * everything between it and the program that started us: input and output, signals, the exit code.
 *
 * The contract with src/main:
 * - There is an IPC channel, used for nothing but this: it closes when we die, even by kill -9. A long-running command
 *   stops gracefully on it:
 *       if (process.channel) {
 *         process.once('disconnect', stop)
 *         process.channel.unref()      // after the listener, which would keep the process alive
 *       }
 *   Started without us (node src/main/commands/turnpike.ts up) there is no channel and nothing to watch.
 * - SIGINT, SIGTERM and SIGHUP ask for a graceful stop, for which we wait without limit. Ctrl-C in a terminal reaches
 *   the whole process group, so we do not hand it on; without a terminal we do. A supervisor that signals a whole group
 *   without a terminal makes the child see the signal twice at once: two within a second are one request.
 * - The exit code is passed on; a child that died of a signal makes us die of the same.
 */

const parameters = process.argv.slice(2)
/** The command is the first word that is no option, nor the value of one. */
const command = parameters.find(
  (word, index) => !word.startsWith('-') && parameters[index - 1] !== '--settings',
)
const servesPages =
  ['up', 'api'].includes(command ?? '') && !parameters.some((word) => /^(-h|--help)$/.test(word))

const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY

/** @type {NodeJS.Signals[]} */
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP']

function start(/** @type {string} */ node) {
  const child = spawn(node, [join(root, 'src/main/commands/turnpike.ts'), ...parameters], {
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

prepare({ web: servesPages }).then(start).catch(fail)
