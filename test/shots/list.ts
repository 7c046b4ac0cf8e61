/** All pictures of the site, by the customer who looks. */
import { accountShots, tabShots } from './account.ts'
import { faultShots } from './faults.ts'
import { generatorShots } from './generator.ts'
import { liveShots, repairShots } from './live.ts'
import { moveShots } from './moves.ts'
import { referralShots } from './referral.ts'
import { securityShots } from './security.ts'
import type { Language, Shot } from './shot.ts'
import { teamShots } from './teams.ts'
import { topUpShots } from './topup.ts'
import { visitorShots } from './visitor.ts'

/**
 * The run itself adds the pictures of invoices, since it makes one in each state. The order matters within
 * the lists from `faultShots` on.
 */
export const allShots = (language: Language): Shot[] => [
  ...visitorShots(language),
  ...tabShots,
  ...accountShots,
  ...generatorShots,
  ...moveShots,
  ...faultShots,
  ...referralShots,
  ...securityShots,
  ...liveShots,
  ...repairShots,
  ...teamShots,
  ...topUpShots,
]
