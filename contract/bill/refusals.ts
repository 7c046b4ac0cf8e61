/** The refusals of bills. */
export const billRefusals = {
  bill_proof_not_found: {
    status: 404,
    ru: 'За этот день такого корня нет или в вашей выписке ещё не было строк. Корень появляется раз в сутки, после полуночи по UTC.',
    en: 'There is no such root for this day, or your bill had no lines yet. A root is made once a day, after midnight UTC.',
  },
} as const
