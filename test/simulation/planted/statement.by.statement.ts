/** What belongs in one transaction is committed statement by statement. */
import type { Transaction } from 'kysely'
import type { DB } from '#db'
import { transaction as right } from '../../../src/db/transaction.ts'

export const transaction: typeof right = (db, work) => work(db as Transaction<DB>)
