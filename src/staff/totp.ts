/** Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds, as every authenticator app has them. */
import { sql } from 'kysely'
import { generateSecret, generateURI, verify } from 'otplib'
import { replacesIn, type SealedColumn } from '#db/sealed'
import type { Secrets } from '#lib/secret'

/** Sealed for this member: copied to another row it does not open. */
export const aboutTotp = (staffId: bigint) => `staff-totp:${staffId}`

export interface NewTotp {
  /** In base32, for typing in. */
  secret: string
  /** The `otpauth:` address of a QR code. */
  uri: string
  sealed: Buffer
}

/** A new secret of 160 bits (RFC 4226 section 4). */
export function newTotp(secrets: Secrets, about: { staffId: bigint; name: string; issuer: string }): NewTotp {
  const secret = generateSecret({ length: 20 })
  const uri = generateURI({ issuer: about.issuer, label: about.name, secret })
  return { secret, uri, sealed: secrets.seal(secret, aboutTotp(about.staffId)) }
}

/**
 * The time step of a right code, else null. The present code is accepted and the one before it, but only behind
 * `lastStep`: a code that was accepted is not accepted again (RFC 6238 section 5.2).
 */
export async function totpStep(
  { secret, code, lastStep }: { secret: string; code: string; lastStep: bigint | null },
  now: Date,
): Promise<bigint | null> {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const epoch = Math.floor(now.getTime() / 1000)
  const result = await verify({ secret, token, epoch, epochTolerance: [30, 0] })
  if (!result.valid || !('timeStep' in result)) return null
  const step = BigInt(result.timeStep)
  return lastStep !== null && step <= lastStep ? null : step
}

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
