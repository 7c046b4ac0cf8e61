/** What `turnpike doctor` finds, and how bad it is. */

/** `trouble`: customers or money are affected now. `warning`: they will be, or something is not as it should be. */
export type Severity = 'ok' | 'warning' | 'trouble'

/** What was looked at, and how it is. */
export interface Check {
  name: string
  severity: Severity
  /** What was found; where it is not in order, what to do. */
  sentence: string
}

/** How a command ends that has found this. */
export const exitCodes: Readonly<Record<Severity, number>> = { ok: 0, warning: 1, trouble: 2 }

/** The checks of one name, each an answer to `found`. */
export const checkOf =
  (name: string) =>
  (severity: Severity, sentence: string): Check => ({ name, severity, sentence })

export const worstOf = (checks: readonly Check[]): Severity => {
  const severities = new Set(checks.map(({ severity }) => severity))
  return severities.has('trouble') ? 'trouble' : severities.has('warning') ? 'warning' : 'ok'
}

/** What a machine is there for. */
export const roles = ['shop', 'worker', 'gateway'] as const
export type Role = (typeof roles)[number]
