import { afterAll, beforeAll, expect, it } from 'vitest'
import { type App, app } from '#test/app'
import { type Desk, desk } from '#test/desk'
import { openTerminal, type Terminal } from '#test/terminal'
import { setupCommand } from './setup.ts'

let shop: App
let office: Desk
let terminal: Terminal

beforeAll(async () => {
  shop = await app()
  office = await desk(shop)
  terminal = openTerminal(shop.database, [setupCommand])
})
afterAll(async () => {
  terminal.close()
  await office.close()
  await shop.close()
})

const token = (said: string) => said.match(/#(\S+)/)?.[1] ?? expect.fail(said)
const begin = (said: string) => office.browser().call('join_begin', { token: token(said) })

it('turnpike setup gives the first owner a link, and another one until they have joined', async () => {
  const first = await terminal.run('setup')
  expect(first).toContain('It works once')
  expect(await begin(first)).toMatchObject({ name: 'owner', role: 'owner' })
  const second = await terminal.run('setup')
  await expect(begin(first)).rejects.toMatchObject({ code: 'link_invalid' })
  expect(await begin(second)).toMatchObject({ name: 'owner' })
  const { rows } = await shop.database.pool.query<{ kept: string }>(
    `select encode(token_sha256, 'hex') as kept from staff_link`,
  )
  expect(rows).toHaveLength(1)
  expect(rows[0]?.kept).not.toContain(token(second))
  const trail = await shop.database.db.selectFrom('audit_entry').select('action').orderBy('id').execute()
  expect(trail.map(({ action }) => action)).toEqual(['invite_staff', 'reset_staff'])
})

it('turnpike setup gives no link to a shop that has an owner', async () => {
  await office.staff('owner')
  const said = await terminal.run('setup')
  expect(said).toContain('The shop has an owner')
  expect(said).not.toContain('#')
  expect(await terminal.data('setup')).toMatchObject({ has_owner: true })
})
