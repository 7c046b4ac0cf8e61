import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

export const requestCalls = {
  explain_request: {
    tag: 'Traffic',
    summary: { en: 'The record of a request through the proxy', ru: 'Запись о запросе через прокси' },
    about: {
      en: 'Records are kept for at least 7 days and available a few seconds after the request has ended. The id is the `X-Request-Id` of the gateway’s answer, or the `request-id` of its `Proxy-Status`. `timeline_ms` counts from the acceptance of the request; null means that the step was not reached. `outcome` is `done`, `refused`, or the cause that ended the request: `client_failed`, `target_failed`, `no_traffic`, `idle`, `cut`. `refusal` is the gateway’s answer, and `exit_said` the exit’s answer when the exit failed. `charged_bytes` is `bytes` times `multiplier`, without `forgiven_bytes`: bytes that cost nothing, because the exit may have failed before the target answered. Every request is recorded. Records are lost when a gateway is cut off from its server for too long: `unkept_in_this_minute` is the number of lost ones in the same minute. What is kept of `target` is the operator’s choice: host and port, the host alone, or nothing (null).',
      ru: 'Записи хранятся не меньше 7 дней и появляются через несколько секунд после конца запроса. Идентификатор — `X-Request-Id` из ответа шлюза или `request-id` из его `Proxy-Status`. `timeline_ms` отсчитывается от приёма запроса; null — до этого шага не дошло. `outcome` — `done`, `refused` или причина, по которой запрос оборвался: `client_failed`, `target_failed`, `no_traffic`, `idle`, `cut`. `refusal` — ответ шлюза, `exit_said` — ответ выходного узла, если сбой был у него. `charged_bytes` — это `bytes`, умноженные на `multiplier`, без `forgiven_bytes`: за эти байты ничего не списано, потому что сбой мог случиться у узла до ответа сайта. Записывается каждый запрос. Записи теряются, если шлюз слишком долго отрезан от сервера: `unkept_in_this_minute` — сколько их потеряно в ту же минуту. Что хранится в `target`, решает владелец магазина: хост с портом, только хост или ничего (null).',
    },
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
  get_requests: {
    tag: 'Traffic',
    summary: { en: 'The last requests through the proxy', ru: 'Последние запросы через прокси' },
    about: {
      en: 'The newest first, 100 at a time; `next` is the `after` of the next page, null after the last one. The list reaches back 10,000 requests from `to` (now, when it is left out). `outcome` asks for `done` requests, for `refused` ones, or for those that `failed` on the way; `host` is the host of the target as the client wrote it. `explain_request` tells all of one. `GET /api/rpc/live_requests` goes on where the list ends: a stream of server-sent events (`text/event-stream`) for a signed-in session, with the `position` of the list as `Last-Event-ID`. The data of its `requests` events are `{"requests":[…],"is_partial":false}`; after one that is partial, read the list again.',
      ru: 'Сначала новые, по 100; `next` — это `after` следующей страницы, после последней — null. Список охватывает 10 000 запросов до `to` (если его нет, до текущего времени). `outcome` выбирает удавшиеся (`done`), отклонённые (`refused`) или прерванные в пути (`failed`); `host` — сайт так, как его написал клиент. `explain_request` рассказывает об одном всё. `GET /api/rpc/live_requests` продолжает там, где список кончается: поток server-sent events (`text/event-stream`) для сессии, с `position` списка в `Last-Event-ID`. Данные его событий `requests` — `{"requests":[…],"is_partial":false}`; после неполного прочитайте список заново.',
    },
    input: { outcome: 'refused', pool: 'residential' },
    output: {
      requests: [
        {
          id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77',
          accepted_at: '2026-05-17T11:58:03.250Z',
          ended_at: '2026-05-17T11:58:03.252Z',
          pool: 'residential',
          protocol: 'connect',
          target: 'example.com:25',
          country: null,
          outcome: 'refused',
          code: 'port_forbidden',
          status: 403,
          multiplier: 1,
          connected_ms: null,
          first_byte_ms: null,
          duration_ms: 2,
          up_bytes: 0,
          down_bytes: 0,
          charged_bytes: 0,
        },
      ],
      next: null,
      position: '1779019200000_4711:4711:',
    },
    refuses: ['invalid_field'],
  },
  get_overview: {
    tag: 'Traffic',
    summary: { en: 'The last day at a glance', ru: 'Последние сутки вкратце' },
    about: {
      en: 'What the account used in the last 24 hours of the clock (UTC), the present one included: in all by pool, and by hour. `hours_left` is how long the balance of the pool lasts at that rate, null when nothing was used. `requests` counts the last day’s requests, the last 10,000 of them at most (`is_capped`); `refusals` are the latest five codes among them.',
      ru: 'Что аккаунт потратил за последние 24 часа по UTC вместе с текущим: всего по пулам и по часам. `hours_left` — на сколько часов хватит остатка пула при таком расходе, null — если ничего не потрачено. `requests` — запросы последних суток, не больше 10 000 последних (`is_capped`); `refusals` — последние пять кодов среди них.',
    },
    input: {},
    output: {
      pools: [
        { pool: 'residential', used_bytes: 1_200_000_000, hours_left: 52 },
        { pool: 'residential_premium', used_bytes: 0, hours_left: null },
        { pool: 'datacenter', used_bytes: 0, hours_left: null },
        { pool: 'mobile', used_bytes: 0, hours_left: null },
      ],
      hours: [{ hour: '2026-05-17T11:00:00Z', used_bytes: 1_200_000_000, requests: 4021 }],
      requests: { counted: 4021, done: 3990, is_capped: false },
      refusals: [
        {
          code: 'target_forbidden',
          requests: 3,
          last_at: '2026-05-17T11:58:03.252Z',
          last_id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77',
          pool: 'residential',
          target: '10.0.0.1:80',
        },
      ],
      has_requests: true,
    },
    refuses: [],
  },
} as const satisfies { [N in Name]?: Description<N> }
