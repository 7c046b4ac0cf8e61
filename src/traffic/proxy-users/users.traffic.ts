/** What the slice of proxy users needs of this one, which depends on it. */
import { callUserLeasesBack, userReserve } from './reserve.ts'
import { usedByUsers, usedInDays, userDays } from './use.ts'

export const usersTraffic = {
  usedByUsers,
  usedInDays,
  userDays,
  reserve: userReserve,
  callUserLeasesBack,
}
