/** `turnpike completion bash`: completions for the Tab key, generated from the commands. */
import { Argument, type Command, type Option } from 'commander'

export function completionCommand(turnpike: Command): void {
  turnpike
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash']))
    .action(() => void process.stdout.write(bashCompletion(turnpike)))
}

/** The completions after the words of one command. */
interface Step {
  /** The program's name and the words of the command. */
  words: string
  offers: string[]
  /** Options that take a value, and what it may be. */
  values: { flag: string; offers: string[] }[]
}

const isVisible = (option: Option) => !option.hidden
const flagsOf = (option: Option) => [option.short, option.long].filter((flag) => flag !== undefined)

function stepsOf(command: Command, path: readonly string[], inherited: readonly Option[]): Step[] {
  const options = [...inherited, ...command.options.filter((option) => isVisible(option))]
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? [])
  const offers = [
    ...command.commands.map((one) => one.name()),
    ...choices,
    ...options.flatMap((option) => option.long ?? []),
    '--help',
  ]
  const values = options
    .filter((option) => option.required || option.optional)
    .flatMap((option) => flagsOf(option).map((flag) => ({ flag, offers: option.argChoices ?? [] })))
  return [
    { words: path.join(' '), offers, values },
    ...command.commands.flatMap((one) => stepsOf(one, [...path, one.name()], options)),
  ]
}

/** Text inside of single quotes of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * A script for bash 4 or newer. Where a value or an argument has no list, files are offered. Typed text is
 * used only in plain expansions: `[[ -v … ]]` would run a command substitution in it.
 * @param turnpike the program with all its commands
 */
export function bashCompletion(turnpike: Command): string {
  const steps = stepsOf(turnpike, [turnpike.name()], [])
  const offers = steps.map((step) => [step.words, step.offers] as const)
  const values = steps.flatMap((step) =>
    step.values.map(({ flag, offers: choices }) => [`${step.words} ${flag}`, choices] as const),
  )
  const table = (rows: readonly (readonly [string, readonly string[]])[]) =>
    rows.map(([key, words]) => `    [${quoted(key)}]=${quoted(words.join(' '))}`).join('\n')
  return `# Completion of turnpike for bash, printed by: turnpike completion bash
_turnpike() {
  local -A offers=(
${table(offers)}
  )
  local -A values=(
${table(values)}
  )
  local current="\${COMP_WORDS[COMP_CWORD]}" path=turnpike value= word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $value ]]; then
      value=
    elif [[ -n \${values["$path $word"]+listed} ]]; then
      value="$path $word"
    elif [[ -n \${offers["$path $word"]+listed} ]]; then
      path="$path $word"
    fi
  done
  words="\${offers["$path"]}"
  [[ -n $value ]] && words="\${values["$value"]}"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _turnpike turnpike
`
}
