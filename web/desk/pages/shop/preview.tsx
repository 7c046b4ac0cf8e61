import { useState } from 'react'
import { type Language, languages } from '#contract/language'
import { methodTitle, processorMethods } from '#contract/invoices'
import { textIn, useLanguage, useTranslation } from '../../../state/i18n.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { MethodDescription } from '../../../ui/site/method-description.tsx'
import { ReviewLinks } from '../../../ui/site/review-links.tsx'
import { RulesList } from '../../../ui/site/rules-list.tsx'
import { BrandSheet } from './brand-sheet.tsx'
import { LegalSheet } from './legal-fields.tsx'
import type { Part, ShopContent } from './content.parts.ts'
import { NoticeSheet } from './notice-fields.tsx'
import styles from './shop.module.css'

type Parts = ShopContent['parts']

/** A part as customers see it, while it is typed. */
export function Preview({ part, value }: { part: Part; value: unknown }) {
  const { t } = useTranslation('deskShop')
  const [language, setLanguage] = useState<Language>(useLanguage())
  return (
    <section className={styles.preview} aria-label={t('shop.preview')}>
      <div className={styles.previewHead}>
        <h2>{t('shop.preview')}</h2>
        {part !== 'links' && (
          <Segmented
            label={t('shop.previewIn')}
            value={language}
            options={languages.map((each) => ({ value: each, label: t(`shop.in.${each}`) }))}
            onChange={setLanguage}
          />
        )}
      </div>
      {/* It scrolls, also by keys. */}
      <div className={styles.sheet} lang={language} role="group" aria-label={t('shop.preview')} tabIndex={0}>
        <Sheet part={part} value={value as Parts[Part]} language={language} />
      </div>
    </section>
  )
}

function Sheet({ part, value, language }: { part: Part; value: Parts[Part]; language: Language }) {
  switch (part) {
    case 'brand':
      return <BrandSheet brand={value as Parts['brand']} language={language} />
    case 'home':
      return <HomeSheet home={(value as Parts['home'])[language]} language={language} />
    case 'links':
      return <LinkSheet links={value as Parts['links']} />
    case 'rules':
      return <RulesSheet rules={(value as Parts['rules'])[language]} language={language} />
    case 'reviews':
      return <ReviewsSheet reviews={(value as Parts['reviews'])[language]} language={language} />
    case 'legal':
      return <LegalSheet legal={value as Parts['legal']} language={language} />
    case 'payments':
      return <PaymentsSheet payments={value as Parts['payments']} language={language} />
    case 'seller':
      return <SellerSheet seller={value as Parts['seller']} language={language} />
    case 'notice':
      return <NoticeSheet notice={value as Parts['notice']} language={language} />
  }
}

function HomeSheet({ home, language }: { home: Parts['home']['ru']; language: Language }) {
  return (
    <>
      <p className={styles.heading}>{home.heading ?? textIn(language, 'home', 'hero.heading')}</p>
      <p className={styles.lead}>{home.lead ?? textIn(language, 'home', 'hero.lead')}</p>
      <p className={styles.buy}>{textIn(language, 'home', 'hero.buy')}</p>
    </>
  )
}

function LinkSheet({ links }: { links: Parts['links'] }) {
  const { t } = useTranslation('deskShop')
  const set = (['support', 'bot', 'channel', 'enterprise'] as const).filter((name) => links[name] !== null)
  if (set.length === 0) return <p className={styles.quiet}>{t('links.none')}</p>
  return (
    <ul className={styles.links}>
      {set.map((name) => (
        <li key={name}>
          <span>{t(`links.${name}`)}</span> <code translate="no">{links[name]}</code>
        </li>
      ))}
    </ul>
  )
}

function RulesSheet({ rules, language }: { rules: Parts['rules']['ru']; language: Language }) {
  const partner =
    rules.partner === null
      ? null
      : {
          text: textIn(language, 'rules', 'partner').replace('{{name}}', rules.partner.name),
          link: rules.partner.link,
        }
  return (
    <>
      <p className={styles.heading}>{rules.title}</p>
      <p className={styles.lead}>{rules.subtitle}</p>
      <RulesList
        rules={rules.rules}
        partner={partner}
        ending={rules.ending}
        note={rules.note}
        more={{ label: textIn(language, 'rules', 'more'), newTab: textIn(language, 'rules', 'newTab') }}
      />
    </>
  )
}

function ReviewsSheet({ reviews, language }: { reviews: Parts['reviews']['ru']; language: Language }) {
  return (
    <>
      <p className={styles.heading}>{textIn(language, 'reviews', 'heading')}</p>
      <p className={styles.lead}>{reviews.intro}</p>
      {reviews.links.length === 0 ? (
        <p className={styles.quiet}>{textIn(language, 'reviews', 'empty')}</p>
      ) : (
        <ReviewLinks links={reviews.links} newTab={textIn(language, 'reviews', 'newTab')} />
      )}
    </>
  )
}

function PaymentsSheet({ payments, language }: { payments: Parts['payments']; language: Language }) {
  const { t } = useTranslation('deskShop')
  const written = processorMethods.filter((method) => payments[method] !== undefined)
  if (written.length === 0) return <p className={styles.quiet}>{t('payments.noneWritten')}</p>
  return (
    <ul className={styles.methods}>
      {written.map((method) => (
        <li key={method} className={styles.method}>
          <strong>{payments[method]?.name?.[language] ?? methodTitle(method, language)}</strong>
          {payments[method]?.[language] == null ? (
            <span className={styles.quiet}>{t('payments.own')}</span>
          ) : (
            <MethodDescription html={payments[method][language]} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** The seller as documents show it; in the other language if only that one is filled in. */
function SellerSheet({ seller, language }: { seller: Parts['seller']; language: Language }) {
  const { t } = useTranslation('deskShop')
  const shown = seller[language] ?? seller[language === 'ru' ? 'en' : 'ru']
  if (shown === null) return <p className={styles.quiet}>{t('seller.waiting')}</p>
  const { name, address, tax_ids: taxIds, bank, contacts, tax_note: note } = shown
  const lines = [address, taxIds, contacts, ...(bank ?? '').split('\n'), note]
  return (
    <div>
      <p>
        <strong>{name}</strong>
      </p>
      {lines.map((line, index) =>
        line === null || line === '' ? null : (
          // Two lines may be alike.
          // oxlint-disable-next-line react/no-array-index-key
          <p key={index}>{line}</p>
        ),
      )}
    </div>
  )
}
