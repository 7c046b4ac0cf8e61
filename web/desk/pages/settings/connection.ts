/** What the desk shows of a connection, and what it sends when one is changed. */
import type { DeskOutput } from '#contract/desk/contract'

type Group = DeskOutput<'variables'>[number]

/** `pinned`: the environment sets the variables; `set`: at least one has a value; `none`: all are empty. */
export const connectionState = ({ is_pinned: isPinned, variables }: Group): 'pinned' | 'set' | 'none' =>
  isPinned ? 'pinned' : variables.some(({ is_set: isSet }) => isSet) ? 'set' : 'none'

/** The latest change of any of its variables. */
export function lastChange({ variables }: Group): { at: string; by: string } | null {
  const changes = variables.flatMap(({ changed }) => (changed === null ? [] : [changed]))
  return changes.toSorted((one, other) => other.at.localeCompare(one.at))[0] ?? null
}

/**
 * The values to send. Stored secrets whose fields are empty are left out, unless the connection is cleared.
 */
export function valuesOf(
  variables: Group['variables'],
  typed: Readonly<Record<string, string>>,
  isCleared: boolean,
): Record<string, string> {
  return Object.fromEntries(
    variables.flatMap(({ name, is_secret: isSecret, is_set: isSet }) => {
      const value = isCleared ? '' : (typed[name] ?? '').trim()
      return isSecret && isSet && value === '' && !isCleared ? [] : [[name, value]]
    }),
  )
}
