/**
 * What each variable of the environment means, for docs/settings.md and for nobody else: `node
 * src/main/settings/settings.docs.ts` writes that page, and a test compares it with this table and with the
 * variables that are read.
 */

import { paymentVariables } from './settings.payments.ts'

interface Section {
  title: string
  /**
   * The meaning of each variable, in Markdown; the default is in brackets at its end. Links are relative to
   * docs/.
   */
  variables: Readonly<Record<string, string>>
}

export const sections: readonly Section[] = [
  {
    title: 'The web server',
    variables: {
      HOST: 'where the web server listens (127.0.0.1)',
      PORT: 'its port (3000)',
      PUBLIC_URL:
        'the address that customers use; a public one ends the demo (http://localhost and the port)',
      TRUST_PROXY:
        'addresses of reverse proxies whose X-Forwarded-For is trusted, separated by commas (none)',
      COUNTRY_HEADER:
        'the header in which they give the client’s country, such as `cf-ipcountry`; it is kept with a sign-up (none)',
      API_DRAIN_SECONDS:
        'for how long a web server that is stopped answers 503 at `/readyz`, and everything else as before, so that a balancer takes it out; a second signal ends it at once (0)',
      LOG_LEVEL: 'logging (info)',
      METRICS_TOKEN:
        'the bearer that /metrics requires; without it, /metrics answers to this machine only (none)',
      METRICS_LISTEN:
        'host, or host:port, of /healthz, /readyz and /metrics for `worker` (9464), `gateway` (9465), `feed` (9466), `bot` (9467) and `desk` (9468), which have no web server (none)',
    },
  },
  {
    title: 'Data',
    variables: {
      DATA_DIR: 'the embedded database, the gateway’s journal, mails, the key (./data)',
      DATABASE_URL:
        'your own PostgreSQL, 15 or newer; several servers of which one is the primary as `postgresql://user:password@host1:5432,host2:5432/database` (the embedded one)',
      DATABASE_REPLICA_URL: 'a replica of it, or several, for reads that may be 5 s old (none)',
      SECRET_KEY:
        'the key that seals stored proxy passwords and logins of exits: back it up (made once in DATA_DIR)',
      SECRET_KEY_OLD: 'the key before it, while it is [being changed](operator.md#the-key) (none)',
      USAGE_HOURS_MONTHS:
        'whole months, in addition to the current one, for which the usage by hour is kept; 0: indefinitely (3)',
      USAGE_DAYS_MONTHS: 'the same for the usage by day (0)',
      CONNECTION_LOG:
        'what is kept of where connections came from and went to, in records and in the gateway’s log: `full` (host, port and address of the target, address and port of the exit and of the client), `host` (the target’s host alone) or `none` (full)',
      CONNECTION_LOG_DAYS:
        'whole days, in addition to the current one, for which records of connections are kept, at least 7 (30)',
    },
  },
  {
    title: 'The demo',
    variables: {
      DEMO: '1: demo catalog, places, exits and test payments; refused on a public address (1 with the embedded database on a local address)',
      DEMO_HISTORY:
        '0: a demo without the month of invented customers, sales and traffic that it begins with (1)',
    },
  },
  {
    title: 'The gateway',
    variables: {
      GATEWAY_PORT_BASE: 'the first entry port; the pools follow 1000 apart (20000)',
      GATEWAY_SLOTS: 'ports per pool for lines without a password (100)',
      GATEWAY_HOST: 'the host name in the lines (the host of PUBLIC_URL)',
      GATEWAY_HOSTS: 'host names per region: `eur=eu.example.net,usa=us.example.net` (none)',
      GATEWAY_ALLOW:
        'exceptions: private targets, and hosts of your own, that customers may reach: hosts, addresses, networks, with or without a port ([details](operator.md#what-customers-cannot-reach)) (none)',
      GATEWAY_DENY:
        'forbidden targets, in addition to private ones and mail ports: ports, ranges of ports, hosts, `*.host`, addresses, networks; `GATEWAY_ALLOW` takes precedence (none)',
      GATEWAY_WORKERS: 'gateway processes (one per core)',
      GATEWAY_STANDBY:
        '1: the first gateway process accepts connections on the entry ports alone while it has time left, which costs the least CPU, and the others join it as they are needed; 0: all of them accept from the start (1)',
      GATEWAY_TLS_CERT:
        'PEM files of certificates for TLS on the entry ports; several separated by commas, chosen by SNI; read again when they change (none)',
      GATEWAY_TLS_KEY: 'PEM files of their keys, in the same order (none)',
      GATEWAY_DRAIN_SECONDS:
        'how long open tunnels may end by themselves when a gateway is stopped or replaced; a second signal ends them at once (5)',
      FORGIVEN_MB_PER_HOUR:
        'the traffic that each gateway process forgives an account per hour, where an exit does not report whether it or the target failed (10)',
      EXIT_PROBE_SECONDS:
        'the time without traffic after which an exit that is another proxy is checked; 0: never (30)',
      SELLER_API_BASES:
        'addresses of [sellers’ APIs](operator.md#accounts-at-sellers) in place of their own: `name=https://…`, separated by commas (none)',
    },
  },
  {
    title: 'Gateways on machines without the database',
    variables: {
      FEED_LISTEN: 'where such gateways are served: `tls://host:port` or `unix:/path` (nowhere)',
      FEED_TLS_CERT: 'the PEM file of the certificate for it (none)',
      FEED_TLS_KEY: 'the PEM file of its key (none)',
      FEED_URL:
        'on such a machine: where `turnpike gateway` finds the server, or several servers of one database separated by commas, the preferred first (none)',
      FEED_CA: 'the PEM of your own authority (the system’s authorities)',
      FEED_TOKEN:
        'on a gateway: its own token, as `turnpike gateways add` prints it, or the secret of at least 32 characters that the server has; on the server: that secret, for gateways without an own token (none: every gateway needs its own)',
    },
  },
  {
    title: 'Mail and Telegram',
    variables: {
      SMTP_URL: 'outgoing mail (`.eml` files in DATA_DIR/outbox)',
      MAIL_FROM: 'the sender of letters, such as `Shop <no-reply@shop.example.net>`; needed with SMTP_URL',
      TELEGRAM_BOT_TOKEN: 'the bot’s token (no bot)',
      TELEGRAM_BOT_NAME: 'the bot’s name, with or without @ (none)',
      TELEGRAM_WEBHOOK_SECRET: 'set: the bot is told by a webhook (long polling)',
      TELEGRAM_API_ROOT: 'a Bot API server of your own (Telegram’s)',
    },
  },
  {
    title: 'Payments',
    variables: {
      ...Object.fromEntries(Object.entries(paymentVariables).map(([name, { meaning }]) => [name, meaning])),
      AUTO_TOP_UP:
        'the payment methods that customers may let the shop charge without them, of `card` and `yookassa`, separated by commas ([automatic top-up](operator.md#automatic-top-up)) (none)',
    },
  },
  {
    title: 'Fiscal receipts',
    variables: {
      RECEIPTS:
        '[fiscal receipts](operator.md#fiscal-receipts): `none`, `yookassa`, `external` (a till connected to YooKassa) or `manual` (none)',
      RECEIPTS_VAT_CODE: 'the VAT code, 1 to 12; needed by `yookassa` and `external`',
      RECEIPTS_TAX_SYSTEM: 'the tax system, 1 to 6, with `external` only (none)',
      RECEIPTS_PAYMENT_MODE:
        '`full_payment`, or `full_prepayment`, which is closed by a second receipt (full_payment)',
      RECEIPTS_CLOSING_DAYS:
        'with `full_prepayment`: the days from the credited traffic to the second receipt, 0 to 365 (0)',
      RECEIPTS_BY_HAND:
        'with RECEIPTS `yookassa` or `external`: other payment methods whose sales need a till too, separated by commas; staff register their receipts (none)',
      RECEIPTS_ITEM_NAME: 'what is sold; `{pool}` is replaced (`Прокси-трафик, {pool}`)',
      RECEIPTS_SUBJECT: 'the `payment_subject` of YooKassa’s API (service)',
      RECEIPTS_MEASURE:
        '`gigabyte` where the price of one is whole kopecks, or `piece`; `none` for tills of FFD 1.05, with `external` only (gigabyte)',
    },
  },
  {
    title: 'The desk',
    variables: {
      DESK_LISTEN:
        'where the [operator’s desk](operator.md#the-desk) listens; empty: nowhere (127.0.0.1 and PORT + 1)',
      DESK_URL: 'its address (http://localhost and that port)',
      DESK_ALLOW: 'networks that may reach it (all)',
      TIME_ZONE:
        'the time zone whose days, weeks and months the desk counts in, such as `Europe/Moscow` (UTC)',
      DESK_SUPPORT_GB: 'what support may give away in a day (5); unset, the desk’s settings say',
      DESK_STEP_UP_GB:
        'from how many GB that a member gives away within 24 hours the second factor is needed once more (50); unset, the desk’s settings say',
      DESK_STEP_UP_USD:
        'from which sum of a member within 24 hours on refunds, payouts and receipts need the second factor once more (100); unset, the desk’s settings say',
    },
  },
  {
    title: 'What customers may do',
    variables: {
      GIFTS: '`0`: customers cannot give traffic to each other (1); unset, the desk’s settings say',
      GIFT_GB_PER_DAY: 'what one may give within 24 hours (100); unset, the desk’s settings say',
      EXCHANGES:
        '`0`: customers cannot exchange traffic between their pools (1); unset, the desk’s settings say',
      EXCHANGE_GB_PER_DAY: 'what one may exchange within 24 hours (1000); unset, the desk’s settings say',
      PAYOUTS:
        '`1`: customers may ask for [payouts](operator.md#payouts) of their referral balance to a wallet (0); unset, the desk’s settings say',
      PAYOUT_LEAST_USD: 'the smallest payout (20); unset, the desk’s settings say',
    },
  },
]
