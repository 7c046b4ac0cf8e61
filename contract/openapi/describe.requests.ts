import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

export const requestCalls = {
  explain_request: {
    tag: 'Proxies',
    summary: 'The record of a request through the proxy',
    about:
      'Records are kept for at least 7 days and available a few seconds after the request has ended. The id is the `X-Request-Id` of the gateway’s answer, or the `request-id` of its `Proxy-Status`. `timeline_ms` counts from the acceptance of the request; null means that the step was not reached. `outcome` is `done`, `refused`, or the cause that ended the request: `client_failed`, `target_failed`, `no_traffic`, `idle`, `cut`. `refusal` is the gateway’s answer, and `exit_said` the exit’s answer when the exit failed. `charged_bytes` is `bytes` times `multiplier`, without `forgiven_bytes`: bytes that cost nothing, because the exit may have failed before the target answered. Every request is recorded. Records are lost when a gateway is cut off from its server for too long: `unkept_in_this_minute` is the number of lost ones in the same minute. What is kept of `target` is the operator’s choice: host and port, the host alone, or nothing (null).',
    input: { id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77' },
    output: {
      id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77',
      accepted_at: '2026-05-17T11:58:03.250Z',
      pool: 'residential',
      protocol: 'connect',
      target: 'example.com:443',
      settings: 'cc-us-sid-8f3a2c',
      country: 'us',
      timeline_ms: { authenticated: 1, exit_chosen: 2, connected: 187, first_byte: 342, ended: 1210 },
      outcome: 'done',
      refusal: null,
      exit_said: null,
      multiplier: 1,
      bytes: { up: 1842, down: 90_112 },
      charged_bytes: { up: 1842, down: 90_112 },
      forgiven_bytes: 0,
      unkept_in_this_minute: 0,
    },
    refuses: ['request_not_found'],
  },
} as const satisfies { [N in Name]?: Description<N> }
