/** What doctor's checks on this machine find that is not in order, for alerts. */
import type { Finding } from '#staff-alerts'
import type { Settings } from '../../settings/settings.ts'
import type { Check } from './check.ts'
import { dataDirCheck, reportsCheck } from './machine.ts'
import { certificateChecks } from './tls.ts'

const isOff = ({ severity }: Check) => severity !== 'ok'

/** The checks that need neither the database nor another machine. */
export function machineFindings(settings: Settings, now: Date): Finding[] {
  const certificates = certificateChecks(settings, now).filter(isOff)
  return [
    ...(isOff(dataDirCheck(settings)) ? [{ kind: 'disk_low', label: settings.dataDir } as const] : []),
    ...certificates.map(
      ({ about }) => ({ kind: 'certificate', label: about ?? 'GATEWAY_TLS_CERT' }) as const,
    ),
    ...(isOff(reportsCheck(settings)) ? [{ kind: 'reports_aside', label: settings.dataDir } as const] : []),
  ]
}
