/** `turnpike doctor`: checks for common problems on a machine of this role, and says what to do. */
import type { Settings } from '../../settings/settings.ts'
import { type Check, exitCodes, type Role, worstOf } from './check.ts'
import { databaseChecks } from './database.ts'
import {
  dataDirCheck,
  hostChecks,
  portsCheck,
  readIpv4,
  reportsCheck,
  unsentCheck,
  upgradesCheck,
} from './machine.ts'
import { mailCheck } from './mail.ts'
import { certificateChecks, feedChecks } from './tls.ts'

/**
 * The default role: a machine that uses another machine's feed is a gateway, any other is assumed to be a
 * whole shop.
 */
export const roleOf = ({ feed, databaseUrl }: Settings): Role =>
  feed.connect !== null && databaseUrl === null ? 'gateway' : 'shop'

/**
 * Runs every check of the role and prints them; returns the exit status: 0 in order, 1 a warning, 2 trouble.
 */
export async function doctor(
  settings: Settings,
  { role = roleOf(settings), json }: { role?: Role; json: boolean },
  print: (text: string) => void,
): Promise<number> {
  const hasGateway = role !== 'worker'
  const ofDatabase = await databaseChecks(settings, role)
  // Of a shop without a mail server, the checks of the database say so.
  const isSaid =
    ofDatabase.checks.some(({ name }) => name === 'mail') && ofDatabase.settings.mail.smtp === null
  const asksMail = role !== 'gateway' && !isSaid
  const checks: Check[] = [
    dataDirCheck(settings),
    ...ofDatabase.checks,
    ...(asksMail ? [await mailCheck(ofDatabase.settings)] : []),
    ...(await feedChecks(settings)),
    ...(hasGateway ? certificateChecks(settings, new Date()) : []),
    ...(hasGateway
      ? [
          reportsCheck(settings),
          await portsCheck(settings, role),
          upgradesCheck(readIpv4('tcp_migrate_req')),
          unsentCheck(readIpv4('tcp_notsent_lowat')),
        ]
      : []),
    ...(role === 'shop' ? await hostChecks(settings) : []),
  ]
  const worst = worstOf(checks)
  if (json) print(JSON.stringify({ role, severity: worst, checks }))
  else {
    for (const { severity, name, sentence } of checks)
      print(`${severity.padEnd('trouble'.length)}  ${name}: ${sentence}`)
    if (roleOf(settings) === 'shop' && role === 'shop' && settings.databaseUrl !== null)
      print(
        'This machine was looked at as a whole shop; --role worker and --role gateway leave out what is not theirs.',
      )
  }
  return exitCodes[worst]
}
