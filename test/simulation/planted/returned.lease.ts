/** A deleted proxy user returns its whole reserve at once, also what gateways hold. */
import { closeReserve as right } from '../../../src/proxy-users/reserve.ts'

export const closeReserve: typeof right = (tx, reserve, user) =>
  right(
    tx,
    {
      ...reserve,
      left: async (...asked) => {
        const { free, held } = await reserve.left(...asked)
        return { free: free + held, held: 0n }
      },
    },
    user,
  )
