import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

export const requestCalls = {
  explain_request: {
    tag: 'Proxies',
    summary: 'How a request through the proxy went',
    about:
      'For 7 days, by the `X-Request-Id` or the `request-id` of `Proxy-Status` that the gateway answered with; a record is there a few seconds after the request has ended. `timeline_ms` counts from the moment the request was accepted; null means that it did not come to that. `outcome` is `done`, `refused`, or what ended it: `client_failed`, `target_failed`, `no_traffic`, `idle`, `cut`. `refusal` is what the gateway answered, and `exit_said` what the exit did when it was the exit that failed. `charged_bytes` is `bytes` times `multiplier`, without `forgiven_bytes`: bytes that cost nothing, because the exit may have failed before the target answered. Every refused or failed request is recorded; of successful ones at most 120 a minute for each pool on each gateway, and `unkept_in_this_minute` says how many beside this one were not.',
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
