/** The act on each of many customers, and its call for one customer. */
import type { DeskClient } from '#contract/desk/client'
import type { bulkActs } from '#contract/desk/choices'
import type { Pool } from '#contract/wire'
import { parseGb } from '../../parts/amounts.ts'

export interface Draft {
  tag: string
  pool: Pool
  gb: string
  subject: string
  text: string
  /** A local date and time; empty: without an end. */
  until: string
  /** The customer is told the reason of the block. */
  tell: boolean
  /** The id of a price list; empty: the shop's prices. */
  listId: string
}

export const emptyDraft: Draft = {
  tag: '',
  pool: 'residential',
  gb: '',
  subject: '',
  text: '',
  until: '',
  tell: false,
  listId: '',
}

export type BulkAct = (typeof bulkActs)[number]

export function isReady(act: BulkAct, { tag, gb, subject, text }: Draft): boolean {
  if (act === 'tag') return tag.trim() !== ''
  if (act === 'credit') return parseGb(gb) !== null
  return act !== 'letter' || (subject.trim() !== '' && text.trim() !== '')
}

/**
 * Performs the act on one customer. False: the customer was already in that state. A retry with the same key
 * neither credits nor sends again.
 */
export async function sendTo(
  call: DeskClient,
  { act, id, key, draft, reason }: { act: BulkAct; id: string; key: string; draft: Draft; reason: string },
): Promise<boolean> {
  const { tag, pool, gb, subject, text, until, tell, listId } = draft
  if (act === 'tag') return (await call('add_tag', { id, tag: tag.trim() })).changed
  if (act === 'letter') return call('send_letter', { id, subject: subject.trim(), text: text.trim(), key })
  if (act === 'credit') {
    await call('give_traffic', { id, pool, bytes: String(parseGb(gb)), reason, key })
    return true
  }
  if (act === 'price_list')
    return (await call('assign_price_list', { id, list_id: listId === '' ? null : listId, reason })).changed
  const end = until === '' ? {} : { until: new Date(until).toISOString() }
  return (await call('block_customer', { id, reason, tell, ...end })).changed
}
