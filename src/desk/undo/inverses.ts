/**
 * The call that undoes an act, made of the act's entry in the audit trail. Acts that move money or traffic
 * have opposite acts of their own; contents, price lists and imported places are restored from their history.
 */
import { deskContract } from '#contract/desk/contract'
import { parseSetting, type SettingName } from '#contract/desk/shop-settings'
import { isUndoableAct, type UndoableAct } from '#contract/desk/undoable'
import type { AuditedName, DeskName } from '#contract/desk/wire'

/** What an entry of the audit trail records. */
export interface ActEntry {
  action: string
  subjectId: string
  before: unknown
  after: unknown
  reason: string | null
}

/** A call with its input, not parsed yet. */
export interface Inverse {
  call: AuditedName
  input: Record<string, unknown>
}

interface Rule {
  /**
   * The acts that change the same data: once one of them follows on the same subject, the act is superseded.
   */
  overtakenBy: readonly AuditedName[]
  /** `previous`: the last entry of these acts on the subject before this one. Null: it cannot be undone. */
  inverse: (entry: ActEntry, previous: ActEntry | null) => Inverse | null
}

type Fields = Record<string, unknown>
const fieldsOf = (data: unknown): Fields =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Fields) : {}

const blocks = ['block_customer', 'unblock_customer', 'erase_customer'] as const
const drains = ['drain_gateway', 'undrain_gateway'] as const
const staffBlocks = ['block_staff', 'unblock_staff'] as const

/** A rule for an act that the same call undoes, with the values from before. */
const sameCall = (
  call: AuditedName,
  input: (entry: ActEntry, before: Fields) => Fields,
  overtakenBy: readonly AuditedName[] = [call],
): Rule => ({
  overtakenBy,
  inverse: (entry) => ({ call, input: input(entry, fieldsOf(entry.before)) }),
})

/** The previous prices; `seen`: the server refuses if they were changed again. */
function pricesOf(data: unknown) {
  const { prices, tiers } = fieldsOf(data)
  return {
    prices: Object.entries(fieldsOf(prices)).map(([pool, micros]) => ({ pool, per_gb_micros: micros })),
    tiers: (Array.isArray(tiers) ? tiers : []).map((tier: Fields) => ({
      from_gb: tier['fromGb'],
      discount_ppm: tier['discountPpm'],
    })),
  }
}

/** The block that an entry describes, as input of `block_customer`; null: it has ended by itself since. */
function blockAgain({ subjectId, after, reason }: ActEntry): Inverse | null {
  const { until, tells } = fieldsOf(after)
  const input = { id: subjectId, reason, tell: tells, ...(until === null ? {} : { until }) }
  return { call: 'block_customer', input }
}

const rules: Record<UndoableAct, Rule> = {
  block_customer: {
    overtakenBy: blocks,
    inverse: ({ subjectId: id }) => ({ call: 'unblock_customer', input: { id } }),
  },
  unblock_customer: {
    overtakenBy: blocks,
    inverse: (_entry, previous) => (previous?.action === 'block_customer' ? blockAgain(previous) : null),
  },
  set_tags: sameCall('set_tags', ({ subjectId: id }, { tags }) => ({ id, tags }), ['set_tags', 'add_tag']),
  set_customer_limits: sameCall('set_customer_limits', ({ subjectId: id }, before) => ({ id, ...before })),
  set_api_pace: sameCall('set_api_pace', ({ subjectId: id }, before) => ({
    id,
    times: before['pace_times'],
  })),
  assign_price_list: sameCall('assign_price_list', ({ subjectId: id }, before) => ({
    id,
    list_id: before['list_id'],
  })),
  set_exit: sameCall(
    'set_exit',
    ({ subjectId: id }, { maxConnections, ...rest }) => ({
      id,
      ...rest,
      ...(maxConnections === undefined ? {} : { max_connections: maxConnections }),
    }),
    ['set_exit', 'remove_exit'],
  ),
  drain_gateway: {
    overtakenBy: drains,
    inverse: ({ subjectId: name }) => ({ call: 'undrain_gateway', input: { name } }),
  },
  undrain_gateway: {
    overtakenBy: drains,
    inverse: ({ subjectId: name }) => ({ call: 'drain_gateway', input: { name } }),
  },
  change_prices: sameCall('change_prices', ({ before, after }) => ({
    ...pricesOf(before),
    seen: pricesOf(after),
  })),
  set_display_currency: sameCall('set_display_currency', ({ subjectId: currency }, { shown }) => ({
    currency,
    shown,
  })),
  change_promo_code: sameCall(
    'change_promo_code',
    ({ subjectId: code }, { max_uses: uses, uses_per_person: each, ...rest }) => ({
      code,
      max_uses: uses === null ? null : Number(uses),
      uses_per_person: Number(each),
      ...rest,
    }),
    ['change_promo_code', 'stop_promo_code'],
  ),
  set_referral_share: sameCall('set_referral_share', (_entry, { ppm }) => ({ share_ppm: ppm })),
  change_setting: sameCall('change_setting', ({ subjectId: name }, { value }) => ({
    name,
    value: String(parseSetting(name as SettingName, String(value))),
  })),
  set_staff_role: sameCall('set_staff_role', ({ subjectId: id }, { role }) => ({ id, role })),
  block_staff: {
    overtakenBy: staffBlocks,
    inverse: ({ subjectId: id }) => ({ call: 'unblock_staff', input: { id } }),
  },
  unblock_staff: {
    overtakenBy: staffBlocks,
    inverse: ({ subjectId: id }) => ({ call: 'block_staff', input: { id } }),
  },
}

/** The acts that change the same data as an act. */
export const overtakenBy = (action: UndoableAct): readonly AuditedName[] => rules[action].overtakenBy

/**
 * The call that undoes an act, with its parsed input; null: it cannot be undone. `reason`: recorded with the
 * inverse where it takes one and none is kept from before.
 */
export function inverseOf(
  entry: ActEntry,
  { previous, reason }: { previous: ActEntry | null; reason: string },
): { call: DeskName; input: unknown } | null {
  const made = isUndoableAct(entry.action) ? rules[entry.action].inverse(entry, previous) : null
  if (made === null) return null
  const schema = deskContract[made.call].input
  const takesReason = 'shape' in schema && 'reason' in schema.shape
  const parsed = schema.safeParse({ ...(takesReason ? { reason } : {}), ...made.input })
  return parsed.success ? { call: made.call, input: parsed.data } : null
}
