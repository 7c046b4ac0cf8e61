import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { gatewayOfName } from '#feed/keys'
import { takeSlot } from './slot.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'slot-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

it('the machine names a gateway once, and its successor after it', async () => {
  const first = await takeSlot(dataDir, { replaces: false })
  expect(first.name).toMatch(/^gw[0-9a-f]{10}$/)
  first.listening()
  const next = await takeSlot(dataDir, { replaces: true })
  expect(next.name).toBe(`${first.name}-b`)
  expect([next.name, `${next.name}-12`, `${first.name}-0`].map(gatewayOfName)).toEqual(
    Array.from({ length: 3 }, () => first.name),
  )
  for (const slot of [first, next]) slot.release()
  const again = await takeSlot(dataDir, { replaces: false })
  expect(again.name).toBe(first.name)
  again.release()
})

it('a gateway takes the name that the token of a gateway is for, and refuses the token of another one', async () => {
  const slot = await takeSlot(dataDir, { replaces: false, gateway: 'eu1' })
  expect(slot.name).toBe('eu1')
  slot.release()
  await expect(takeSlot(dataDir, { replaces: false, gateway: 'eu2' })).rejects.toThrow(
    'belongs to the gateway eu1',
  )
  // With FEED_TOKEN of the server it stays what it is.
  const later = await takeSlot(dataDir, { replaces: false })
  expect(later.name).toBe('eu1')
  later.release()
})
