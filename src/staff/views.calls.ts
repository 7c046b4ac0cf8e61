/**
 * The desk's calls for lists that a member has saved: a name and the query of an address, for themselves
 * alone.
 */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { record } from './audit.ts'
import { authorOf, type DeskHandlers, memberOf } from './call.ts'

/** The maximum number of saved views per page. */
const mostViews = 30

const viewsOf = (db: Kysely<DB>, staffId: bigint, page: string) =>
  db
    .selectFrom('staff_view')
    .select(['id', 'name', 'query'])
    .where('staff_id', '=', staffId)
    .where('page', '=', page)
    .orderBy('name')
    .execute()

export const viewCalls = {
  my_views: async ({ page }, context) =>
    (await viewsOf(context.database.db, memberOf(context).id, page)).map((view) => ({
      ...view,
      id: String(view.id),
    })),
  save_view: ({ page, name, query }, context) =>
    transaction(context.database.db, async (tx) => {
      const { id: staffId } = memberOf(context)
      // Of concurrent calls of one member, each counts the views of the others.
      await tx.selectFrom('staff').select('id').where('id', '=', staffId).forNoKeyUpdate().executeTakeFirst()
      const known = await viewsOf(tx, staffId, page)
      if (known.length >= mostViews && !known.some((view) => view.name === name))
        throw new Refusal('too_many_views', { limit: mostViews })
      const { id } = await tx
        .insertInto('staff_view')
        .values({ staff_id: staffId, page, name, query })
        .onConflict((conflict) => conflict.columns(['staff_id', 'page', 'name']).doUpdateSet({ query }))
        .returning('id')
        .executeTakeFirstOrThrow()
      const subject = { kind: 'view', id: String(id) } as const
      const entry = { action: 'save_view', subject, after: { page, name, query } }
      await record(tx, authorOf(context), entry, context.now())
      return { id: String(id) }
    }),
  remove_view: ({ id }, context) =>
    transaction(context.database.db, async (tx) => {
      const before = await tx
        .deleteFrom('staff_view')
        .where('id', '=', BigInt(id))
        .where('staff_id', '=', memberOf(context).id)
        .returning(['page', 'name', 'query'])
        .executeTakeFirst()
      if (before === undefined) throw new Refusal('view_not_found')
      const subject = { kind: 'view', id } as const
      await record(tx, authorOf(context), { action: 'remove_view', subject, before }, context.now())
      return true as const
    }),
} satisfies Partial<DeskHandlers>
