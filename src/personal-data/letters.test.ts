/** Erasure finds letters by the account that they are about, whatever address it has. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emailJobs } from '#accounts/email'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { eraseAsShown } from '#test/erasure'
import { tokenInLetter } from '#test/letters'

let shop: App
let office: Desk
let owner: StaffMember
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const lettersTo = async (address: string): Promise<string[]> => {
  const { rows } = await shop.database.pool.query<{ template: string }>(
    'select template from mail where recipient = $1 order by created_at',
    [address],
  )
  return rows.map(({ template }) => template)
}

/** Asks for another address and confirms it by its letter. */
async function changeTo(customer: Customer, address: string): Promise<void> {
  const { db } = shop.database
  await customer.call('change_email', { email: address })
  const { id } = await db
    .selectFrom('email_change')
    .select('id')
    .where('account_id', '=', BigInt(await accountIdOf(customer)))
    .executeTakeFirstOrThrow()
  const jobs = emailJobs({ db, secrets: shop.services.secrets, now: async () => shop.clock.now })
  await jobs['mail_email_change']?.({ change_id: String(id) }, {} as never)
  const token = await tokenInLetter(shop, { template: 'confirm_new_email', to: address })
  await shop.anyone('confirm_new_email', { confirmation_token: token })
}

async function erase(customer: Customer): Promise<void> {
  await office.stepUp(owner)
  const id = await accountIdOf(customer)
  await eraseAsShown(owner, { id: String(id), reason: 'it was asked for', write_off: true })
}

it('letters to an address that the account had before are deleted', async () => {
  const customer = await shop.customer()
  const { email } = customer
  // Without a confirmation of the first address, nothing but its letters tells of it.
  await changeTo(customer, `later.${email}`)
  expect(await lettersTo(email)).toContain('confirm_email')
  await erase(customer)
  expect(await lettersTo(email)).toEqual([])
  expect(await lettersTo(`later.${email}`)).toEqual(['data_erased'])
})

it('letters to another customer stay, whose address the erased person had asked for', async () => {
  const [customer, other] = [await shop.customer(), await shop.customer()]
  const before = await lettersTo(other.email)
  expect(before).toContain('confirm_email')
  await customer.call('change_email', { email: other.email })
  await erase(customer)
  expect(await lettersTo(other.email)).toEqual(before)
})
