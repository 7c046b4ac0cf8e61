/**
 * The answer of /readyz: 503 with the reasons while there are any. Processes without a web server give it too,
 * so it is no part of one: they would load the whole server for it.
 */
export function readyPage(faults: readonly string[]): { status: 200 | 503; text: string } {
  if (faults.length === 0) return { status: 200, text: 'ready\n' }
  return { status: 503, text: ['not ready', ...faults, ''].join('\n') }
}
