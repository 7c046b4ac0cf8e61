/**
 * The stages that a tunnel or request passes, as the protocols use them: client → admission → target → … →
 * report.
 */

import type { Admission } from './admission/admission.ts'
import type { Limits } from './gateway.options.ts'
import type { SessionReports } from './session.reports.ts'
import type { GatewayClient, Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { TargetOpener } from './target.opener.ts'

export interface Stages {
  admission: Admission<GatewayClient, Session>
  sessions: Pick<Sessions, 'isClosing' | 'isDraining'>
  targets: TargetOpener
  reports: SessionReports
  limits: Pick<
    Limits,
    'headBytes' | 'silentMs' | 'handshakeMs' | 'headMs' | 'keepAliveMs' | 'answerMs' | 'idleMs'
  >
}
