/** A pool's limits as the form has them: caps in GB as people write them, hosts in one line. */
import type { Input, Output } from '#contract/contract'
import type { Pool } from '#contract/wire'

export type Limits = Output<'get_pool_limits'>

const caps = ['hour', 'day', 'month'] as const
type Cap = (typeof caps)[number]

export interface LimitsForm extends Record<Cap, string> {
  connections: string
  denied: string
  allowed: string
  saver: boolean
}

const bytesPerGb = 1_000_000_000
const gb = (bytes: number | null) => (bytes === null ? '' : String(bytes / bytesPerGb))

export function formOf(limits: Limits): LimitsForm {
  return {
    hour: gb(limits.hour_bytes),
    day: gb(limits.day_bytes),
    month: gb(limits.month_bytes),
    connections: limits.connections === null ? '' : String(limits.connections),
    denied: limits.denied_hosts.join(', '),
    allowed: limits.allowed_hosts.join(', '),
    saver: limits.data_saver,
  }
}

/** A number as people write it, with a comma or a point; null for nothing, NaN for what is none. */
function numberIn(text: string): number | null {
  const written = text.trim().replace(',', '.')
  if (written === '') return null
  return /^\d+(\.\d+)?$/.test(written) ? Number(written) : Number.NaN
}

const hostsIn = (text: string) => text.split(/[\s,;]+/).filter((host) => host !== '')

export type LimitsFault = Cap | 'connections'

/** What is to be sent, or the first field that is no number. */
export function changesOf(pool: Pool, form: LimitsForm): Input<'set_pool_limits'> | LimitsFault {
  for (const field of [...caps, 'connections'] as const) if (Number.isNaN(numberIn(form[field]))) return field
  const bytes = (text: string) => {
    const written = numberIn(text)
    return written === null ? null : Math.round(written * bytesPerGb)
  }
  return {
    pool,
    hour_bytes: bytes(form.hour),
    day_bytes: bytes(form.day),
    month_bytes: bytes(form.month),
    connections: numberIn(form.connections),
    denied_hosts: hostsIn(form.denied),
    allowed_hosts: hostsIn(form.allowed),
    data_saver: form.saver,
  }
}
