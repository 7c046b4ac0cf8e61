/** The rules of the status page, which the server applies and the page explains. */

/** With fewer distinct customers, or fewer counted connections, the page shows no state. */
export const leastCustomers = 5
export const leastConnections = 50
/** The states for a share of connections that an exit served below these values. */
const degradedBelow = 0.95
const outageBelow = 0.5
/** The number of days that the page shows, each as a bar. */
export const statusDays = 90

export const serviceStates = ['operational', 'degraded', 'outage', 'unknown'] as const
export type ServiceState = (typeof serviceStates)[number]

export const incidentStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const
export type IncidentState = (typeof incidentStates)[number]

/** The state for a share of successful connections; null: there is too little traffic to tell. */
export function stateOf(success: number | null): ServiceState {
  if (success === null) return 'unknown'
  if (success < outageBelow) return 'outage'
  return success < degradedBelow ? 'degraded' : 'operational'
}

/** The worst of the known states; `unknown` if none is known. */
export function worstState(states: readonly ServiceState[]): ServiceState {
  return (['outage', 'degraded', 'operational'] as const).find((state) => states.includes(state)) ?? 'unknown'
}

/** The Atom feed of incidents, in the language of the page that it belongs to. */
export const statusFeedPath = (language: 'ru' | 'en') =>
  language === 'ru' ? '/status.atom' : '/en/status.atom'
