import { act, deskCall, read } from '../call.ts'

/** One customer: usage, limits, open connections, ways in. */
export const customerDeskWire = {
  customer_usage_by: read({ needs: 'customers.read', masked: [], file: true }),
  customer_hosts: deskCall({
    method: 'GET',
    answer: 'json',
    needs: 'connections.targets',
    stepUp: 'never',
    effect: 'reads',
    audit: 'connections',
    masked: [],
    file: true,
    body: null,
  }),
  customer_promo_uses: read({ needs: 'customers.read', masked: [], file: true }),
  customer_letters: read({ needs: 'customers.read', masked: ['fault'], file: true }),
  customer_limits: read({ needs: 'customers.read', masked: [], file: false }),
  set_customer_limits: act({ needs: 'customers.access', stepUp: 'never', audit: 'customer' }),
  customer_top_ups: read({ needs: 'customers.read', masked: [], file: false }),
  switch_off_top_up: act({ needs: 'customers.block', stepUp: 'never', audit: 'customer' }),
  live_connections: deskCall({
    method: 'GET',
    answer: 'json',
    needs: 'connections.read',
    stepUp: 'never',
    effect: 'reads',
    audit: 'connections',
    masked: ['ip'],
    file: false,
    body: null,
  }),
  cut_connections: act({ needs: 'customers.block', stepUp: 'never', audit: 'customer' }),
  reset_access: act({ needs: 'customers.access', stepUp: 'never', audit: 'customer' }),
  see_as_customer: act({ needs: 'customers.see_as', stepUp: 'never', audit: 'customer' }),
  resend_confirmation: act({ needs: 'customers.letter', stepUp: 'never', audit: 'customer' }),
}
