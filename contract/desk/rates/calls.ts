import { act, deskCall, read } from '../call.ts'

/** Exchange rates, and the currencies in which prices are shown. */
export const ratesDeskWire = {
  currencies: read({ needs: 'prices.read', masked: [], file: false }),
  rate_changes: read({ needs: 'prices.read', masked: [], file: true }),
  set_rate: act({ needs: 'prices.change', stepUp: 'never', audit: 'rate' }),
  preview_rates: deskCall({
    method: 'POST',
    answer: 'json',
    needs: 'prices.change',
    stepUp: 'never',
    effect: 'reads',
    audit: null,
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 3072 },
    queue: null,
  }),
  import_rates: deskCall({
    method: 'POST',
    answer: 'json',
    needs: 'prices.change',
    stepUp: 'never',
    effect: 'changes',
    audit: 'rate',
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 3072 },
    queue: null,
  }),
  set_display_currency: act({ needs: 'prices.change', stepUp: 'never', audit: 'rate' }),
}
