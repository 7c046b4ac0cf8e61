/** The desk's search over everything: what a person pastes out of a log line, a letter or a complaint. */
import type { DeskOutput } from '#contract/desk/contract'
import { may } from '#contract/desk/roles'
import { type DeskName, mayCall } from '#contract/desk/wire'
import { showExits } from '#exits'
import type { Secrets } from '#lib/secret'
import { searchCodes } from '#promo'
import { invoiceNamed } from '#purchase'
import { requestById } from '#requests'
import { type DeskContext, type DeskHandlers, memberOf } from '#staff/call'
import { findPeople } from './customers/find.ts'

type Hit = DeskOutput<'find'>[number]

const mostPeople = 20
const mostOthers = 5

/** The possible meanings of the text, the most certain first; only kinds that the role may open. */
async function find(secrets: Secrets, given: string, context: DeskContext): Promise<Hit[]> {
  const { db } = context.database
  const text = given.trim()
  if (text === '') return []
  const { role } = memberOf(context)
  const ifMay = async (call: DeskName, search: () => Promise<Hit[]>) =>
    mayCall(role, call) ? await search() : []
  const [connections, invoices, people, exits, codes] = await Promise.all([
    ifMay('connections', async () => {
      const request = await requestById(db, text)
      return request === null
        ? []
        : [{ kind: 'connection', id: request.id, title: request.id, by: 'request_id' }]
    }),
    ifMay('invoice', async () => {
      const invoice = await invoiceNamed(db, text)
      return invoice === null
        ? []
        : [{ kind: 'invoice', id: invoice.number, title: invoice.shortNumber, by: 'invoice_number' }]
    }),
    ifMay('customer', async () => {
      const found = await findPeople(db, text, { contacts: may(role, 'customers.contacts') })
      return found.slice(0, mostPeople).map(({ account, kind }) => ({
        kind: 'customer',
        id: String(account.id),
        title: account.username ?? account.email ?? `#${account.id}`,
        by: kind,
      }))
    }),
    ifMay('exits', async () =>
      (await showExits(db, secrets))
        .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
        .slice(0, mostOthers)
        .map(({ id, name }) => ({ kind: 'exit', id: String(id), title: name, by: 'exit_name' })),
    ),
    ifMay('promo_codes', async () =>
      (await searchCodes(db, { text, before: null, limit: mostOthers }, context.now())).map(
        ({ id, code }) => ({ kind: 'promo_code', id: String(id), title: code, by: 'promo_code' }),
      ),
    ),
  ])
  return [...connections, ...invoices, ...people, ...exits, ...codes]
}

export const findCalls = ({ secrets }: { secrets: Secrets }) =>
  ({
    find: ({ text }, context) => find(secrets, text, context),
  }) satisfies Partial<DeskHandlers>
