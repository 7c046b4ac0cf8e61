/** A deleted proxy user returns its whole reserve at once, also what gateways hold. */
import { closeReserves as right } from '../../../src/proxy-users/reserve.ts'

export const closeReserves: typeof right = (tx, { reserve, accessId }, users) =>
  right(
    tx,
    {
      accessId,
      reserve: {
        ...reserve,
        left: async (...asked) => {
          const left = await reserve.left(...asked)
          return new Map([...left].map(([id, { free, held }]) => [id, { free: free + held, held: 0n }]))
        },
      },
    },
    users,
  )
