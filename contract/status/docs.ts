import { documents } from '../docs.ts'
import type { statusSchemas } from './schemas.ts'

export const statusDocs = documents<typeof statusSchemas>()({
  get_status: {
    tag: 'Site',
    summary: { en: 'The state of the pools, and incidents', ru: 'Состояние пулов и инциденты' },
    about: {
      en: 'What the page `/status` shows. `success` is the share of connections that an exit served, by the records of the gateways: what the customer or the target caused does not count. The two customers with the most failures of a day are left out, and nobody counts with more than 1,000 connections a day. `state` is `operational` from 0.95 on, `degraded` from 0.5 on, and `outage` below; `unknown` with fewer than 5 customers or 50 counted connections. Today’s is that of the last hour where this has enough traffic. `GET /status.atom` and `/en/status.atom` are feeds of the incidents.',
      ru: 'То, что показывает страница `/status`. `success` — доля соединений, которые обслужил выходной узел, по записям шлюзов: то, чему причиной клиент или сайт, не считается. Два клиента с наибольшим числом сбоев за день не учитываются, и никто не даёт больше 1000 соединений в день. `state` — `operational` от 0,95, `degraded` от 0,5, ниже — `outage`; `unknown` — меньше 5 клиентов или 50 учтённых соединений. Сегодняшнее состояние — за последний час, если трафика в нём достаточно. `GET /status.atom` и `/en/status.atom` — ленты инцидентов.',
    },
    input: {},
    output: {
      updated_at: '2026-11-20T12:00:00.000Z',
      pools: [
        {
          pool: 'residential',
          state: 'operational',
          success: 0.9962,
          days: [{ day: '2026-11-20', state: 'operational', success: 0.9971 }],
        },
      ],
      places: [{ pool: 'residential', country: 'us', state: 'degraded', success: 0.9312 }],
      incidents: [
        {
          id: '7',
          title: 'Slow connections in the United States',
          pools: ['residential'],
          state: 'resolved',
          opened_at: '2026-11-18T09:10:00.000Z',
          resolved_at: '2026-11-18T10:40:00.000Z',
          updates: [
            {
              at: '2026-11-18T10:40:00.000Z',
              state: 'resolved',
              text: 'The seller has replaced its servers.',
            },
          ],
        },
      ],
    },
    refuses: [],
  },
})
