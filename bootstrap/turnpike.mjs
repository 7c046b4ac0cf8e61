#!/usr/bin/env node
import { launch } from './launch.mjs'

/**
 * `turnpike <command …>`: runs src/main/commands/turnpike.ts with these arguments in a clone that is made
 * ready first.
 */

const parameters = process.argv.slice(2)
/** The command is the first word that is neither an option nor the value of one. */
const command = parameters.find(
  (word, index) => !word.startsWith('-') && parameters[index - 1] !== '--settings',
)
const servesPages =
  ['up', 'api'].includes(command ?? '') && !parameters.some((word) => /^(-h|--help)$/.test(word))

launch('src/main/commands/turnpike.ts', parameters, { web: servesPages })
