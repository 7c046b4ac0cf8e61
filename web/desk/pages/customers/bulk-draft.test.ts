import { expect, it } from 'vitest'
import type { DeskClient } from '#contract/desk/client'
import { emptyDraft, isReady, sendTo } from './bulk-draft.ts'

it('the draft asks for what an act needs', () => {
  expect(isReady('block', emptyDraft)).toBe(true)
  expect(isReady('tag', { ...emptyDraft, tag: ' ' })).toBe(false)
  expect(isReady('credit', { ...emptyDraft, gb: '1,5' })).toBe(true)
  expect(isReady('credit', { ...emptyDraft, gb: '0' })).toBe(false)
  expect(isReady('letter', { ...emptyDraft, subject: 'x' })).toBe(false)
})

it('the draft sends the customer’s key with acts that must not be repeated', async () => {
  const sent: unknown[] = []
  const call = (async (...words: unknown[]) => {
    sent.push(words)
    return { changed: true }
  }) as unknown as DeskClient
  const one = {
    id: '7',
    key: 'k',
    reason: 'sorry',
    draft: { ...emptyDraft, gb: '2', subject: 's', text: 't' },
  }
  await sendTo(call, { ...one, act: 'credit' })
  await sendTo(call, { ...one, act: 'letter' })
  expect(sent).toEqual([
    ['give_traffic', { id: '7', pool: 'residential', bytes: '2000000000', reason: 'sorry', key: 'k' }],
    ['send_letter', { id: '7', subject: 's', text: 't', key: 'k' }],
  ])
})
