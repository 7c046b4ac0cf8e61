/** The rules of the status page, which the server applies and the page explains. */

/** With fewer distinct customers, or fewer counted connections, nothing is said. */
export const leastCustomers = 5
export const leastConnections = 50
/** Below these shares of connections that an exit served. */
const degradedBelow = 0.95
const outageBelow = 0.5
/** The days with a bar of their own. */
export const statusDays = 90

export const serviceStates = ['operational', 'degraded', 'outage', 'unknown'] as const
export type ServiceState = (typeof serviceStates)[number]

export const incidentStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const
export type IncidentState = (typeof incidentStates)[number]

/** The state that a share of successes stands for; null: there is too little traffic to say. */
export function stateOf(success: number | null): ServiceState {
  if (success === null) return 'unknown'
  if (success < outageBelow) return 'outage'
  return success < degradedBelow ? 'degraded' : 'operational'
}

/** The worst of them, those of which nothing is known left out. */
export function worstState(states: readonly ServiceState[]): ServiceState {
  return (['outage', 'degraded', 'operational'] as const).find((state) => states.includes(state)) ?? 'unknown'
}

/** The Atom feed of incidents, in the language of the page that it belongs to. */
export const statusFeedPath = (language: 'ru' | 'en') =>
  language === 'ru' ? '/status.atom' : '/en/status.atom'
