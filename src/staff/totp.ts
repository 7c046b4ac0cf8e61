/** The TOTP secrets of staff, and those that are being set up. */
import { sql } from 'kysely'
import { replacesIn, type SealedColumn } from '#db/sealed'

/** Sealed for this member: copied to another row it does not open. */
export const aboutTotp = (staffId: bigint) => `staff-totp:${staffId}`

const sealedIn = (table: 'staff' | 'staff_session' | 'staff_link', what: string): SealedColumn => {
  const id = table === 'staff_link' ? 'staff_id' : 'id'
  const staffId = table === 'staff' ? 'id' : 'staff_id'
  return {
    what,
    async read(db, { after, limit }) {
      const { rows } = await sql<{ key: bigint; staffId: bigint; sealed: Buffer }>`
        select ${sql.ref(id)} as key, ${sql.ref(staffId)} as "staffId", totp_sealed as sealed from ${sql.table(table)}
        where totp_sealed is not null and ${sql.ref(id)} > ${after === null ? 0n : BigInt(after)}
        order by key limit ${limit}`.execute(db)
      return rows.map((row) => ({
        key: String(row.key),
        sealed: row.sealed,
        about: aboutTotp(row.staffId),
        name: `member of staff #${row.staffId}`,
      }))
    },
    write: replacesIn({ table, id, column: 'totp_sealed' }),
  }
}

/** The secrets of the authenticator apps of staff, and those that are being set up. */
export const sealedTotpSecrets: readonly SealedColumn[] = [
  sealedIn('staff', 'second factors of staff'),
  sealedIn('staff_session', 'second factors that staff are setting up'),
  sealedIn('staff_link', 'second factors of invited staff'),
]
