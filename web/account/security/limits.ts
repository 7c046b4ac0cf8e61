/** The limits of a pool as a form: traffic caps in GB, lists of hosts in one line. */
import type { Input, Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { bytesPerGb, type Pool } from '#contract/wire'
import { gbText, withPoint } from '../decimal-text.ts'

export type Limits = Output<'get_pool_limits'>

const caps = ['hour', 'day', 'month'] as const
type Cap = (typeof caps)[number]

export interface LimitsForm extends Record<Cap, string> {
  connections: string
  denied: string
  allowed: string
  saver: boolean
}

export function toForm(limits: Limits, language: Language): LimitsForm {
  return {
    hour: gbText(limits.hour_bytes, language),
    day: gbText(limits.day_bytes, language),
    month: gbText(limits.month_bytes, language),
    connections: limits.connections === null ? '' : String(limits.connections),
    denied: limits.denied_hosts.join(', '),
    allowed: limits.allowed_hosts.join(', '),
    saver: limits.data_saver,
  }
}

/** A decimal number with a comma or a point; null for blank text, NaN for any other text. */
function parseNumber(text: string): number | null {
  const normalized = withPoint(text)
  if (normalized === '') return null
  return /^\d+(\.\d+)?$/.test(normalized) ? Number(normalized) : Number.NaN
}

const parseHosts = (text: string) => text.split(/[\s,;]+/).filter((host) => host !== '')

export type LimitsError = Cap | 'connections'

/** The call's input, or the name of the first field that is not a number. */
export function toInput(pool: Pool, form: LimitsForm): Input<'set_pool_limits'> | LimitsError {
  for (const field of [...caps, 'connections'] as const)
    if (Number.isNaN(parseNumber(form[field]))) return field
  const bytes = (text: string) => {
    const number = parseNumber(text)
    return number === null ? null : Math.round(number * Number(bytesPerGb))
  }
  return {
    pool,
    hour_bytes: bytes(form.hour),
    day_bytes: bytes(form.day),
    month_bytes: bytes(form.month),
    connections: parseNumber(form.connections),
    denied_hosts: parseHosts(form.denied),
    allowed_hosts: parseHosts(form.allowed),
    data_saver: form.saver,
  }
}
