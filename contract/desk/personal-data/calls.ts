import { act, read } from '../call.ts'

/** Export and erasure of a customer’s data. */
export const personalDataDeskWire = {
  export_customer: act({ needs: 'customers.export', stepUp: 'always', audit: 'customer' }),
  preview_erasure: read({ needs: 'customers.erase', masked: [], file: false }),
  erase_customer: act({ needs: 'customers.erase', stepUp: 'always', audit: 'customer' }),
  decline_erasure: act({ needs: 'customers.erase', stepUp: 'never', audit: 'customer' }),
}
