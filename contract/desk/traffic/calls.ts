import { act, read } from '../call.ts'

/** Sums of traffic, and the gateways. */
export const trafficDeskWire = {
  traffic_sums: read({ needs: 'traffic.read', masked: [], file: true }),
  gateways: read({ needs: 'traffic.read', masked: [], file: false }),
  drain_gateway: act({ needs: 'gateways.change', stepUp: 'never', audit: 'gateway' }),
  undrain_gateway: act({ needs: 'gateways.change', stepUp: 'never', audit: 'gateway' }),
  revoke_gateway_token: act({ needs: 'gateways.change', stepUp: 'never', audit: 'gateway' }),
}
