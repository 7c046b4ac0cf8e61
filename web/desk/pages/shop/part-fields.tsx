/** The fields of each part. */
import type { Part } from '#contract/desk/content'
import { methodTitle, processorMethods } from '#contract/invoices'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Section } from '../../parts/section.tsx'
import { BrandFields } from './brand-fields.tsx'
import { type Editor, Field, InBoth, Items } from './editor.tsx'
import { LegalFields } from './legal-fields.tsx'
import { NoticeFields } from './notice-fields.tsx'
import { valueAt, withValueAt } from './paths.ts'
import styles from './shop.module.css'

export function PartFields({ part, editor }: { part: Part; editor: Editor }) {
  switch (part) {
    case 'brand':
      return <BrandFields editor={editor} />
    case 'home':
      return <HomeFields editor={editor} />
    case 'links':
      return <LinkFields editor={editor} />
    case 'rules':
      return <RuleFields editor={editor} />
    case 'reviews':
      return <ReviewFields editor={editor} />
    case 'legal':
      return <LegalFields editor={editor} />
    case 'payments':
      return <PaymentFields editor={editor} />
    case 'seller':
      return <SellerFields editor={editor} />
    case 'notice':
      return <NoticeFields editor={editor} />
  }
}

function HomeFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  const own = t('home.own')
  return (
    <InBoth>
      {(language) => (
        <>
          <Field editor={editor} path={[language, 'heading']} label={t('home.heading')} hint={own} nullable />
          <Field editor={editor} path={[language, 'lead']} label={t('home.lead')} hint={own} nullable area />
        </>
      )}
    </InBoth>
  )
}

const contacts = ['support', 'bot', 'channel', 'enterprise'] as const

function LinkFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  return (
    <div className={styles.both}>
      {contacts.map((name) => (
        <Field
          key={name}
          editor={editor}
          path={[name]}
          label={t(`links.${name}`)}
          hint={t(`links.${name}Hint`)}
          nullable
          mono
        />
      ))}
    </div>
  )
}

function RuleFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  return (
    <InBoth>
      {(language) => (
        <>
          <Field editor={editor} path={[language, 'title']} label={t('rules.title')} />
          <Field editor={editor} path={[language, 'subtitle']} label={t('rules.subtitle')} area />
          <Items
            editor={editor}
            path={[language, 'rules']}
            empty={{ text: '', more_link: null }}
            add={t('rules.add')}
            name={(number) => t('rules.rule', { number })}
          >
            {(index) => (
              <>
                <Field
                  editor={editor}
                  path={[language, 'rules', index, 'text']}
                  label={t('rules.text')}
                  area
                />
                <Field
                  editor={editor}
                  path={[language, 'rules', index, 'more_link']}
                  label={t('rules.more')}
                  nullable
                  mono
                />
              </>
            )}
          </Items>
          <Partner editor={editor} language={language} />
          <Field editor={editor} path={[language, 'ending']} label={t('rules.ending')} area />
          <Field editor={editor} path={[language, 'note']} label={t('rules.note')} area />
        </>
      )}
    </InBoth>
  )
}

function Partner({ editor, language }: { editor: Editor; language: string }) {
  const { t } = useTranslation('deskShop')
  const path = [language, 'partner']
  const set = (value: unknown) => editor.set(withValueAt(editor.value, path, value))
  if (valueAt(editor.value, path) === null)
    return editor.readOnly ? null : (
      <Button size="small" onClick={() => set({ name: '', link: null })}>
        {t('rules.addPartner')}
      </Button>
    )
  return (
    <div className={styles.item} role="group" aria-label={t('rules.partner')}>
      <div className={styles.itemHead}>
        <span>{t('rules.partner')}</span>
        {!editor.readOnly && (
          <Button size="small" variant="ghost" onClick={() => set(null)}>
            {t('shop.remove')}
          </Button>
        )}
      </div>
      <Field editor={editor} path={[...path, 'name']} label={t('rules.partnerName')} />
      <Field editor={editor} path={[...path, 'link']} label={t('rules.partnerLink')} nullable mono />
    </div>
  )
}

function ReviewFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  return (
    <InBoth>
      {(language) => (
        <>
          <Field editor={editor} path={[language, 'intro']} label={t('reviews.intro')} area />
          <Items
            editor={editor}
            path={[language, 'links']}
            empty={{ name: '', link: '' }}
            add={t('reviews.add')}
            name={(number) => t('reviews.thread', { number })}
          >
            {(index) => (
              <>
                <Field editor={editor} path={[language, 'links', index, 'name']} label={t('reviews.name')} />
                <Field
                  editor={editor}
                  path={[language, 'links', index, 'link']}
                  label={t('reviews.link')}
                  mono
                />
              </>
            )}
          </Items>
        </>
      )}
    </InBoth>
  )
}

const ownWords = { name: { ru: null, en: null }, ru: null, en: null }

function PaymentFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  const language = useLanguage()
  const known = Object.keys((editor.value ?? {}) as object)
  return (
    <>
      <p className={styles.quiet}>{t('payments.about')}</p>
      {processorMethods.map((method) => (
        <Section
          key={method}
          title={methodTitle(method, language)}
          actions={
            !editor.readOnly &&
            (known.includes(method) ? (
              <Button
                size="small"
                variant="ghost"
                onClick={() => {
                  const { [method]: _dropped, ...rest } = editor.value as Record<string, unknown>
                  editor.set(rest)
                }}
              >
                {t('payments.toOwn')}
              </Button>
            ) : (
              <Button size="small" onClick={() => editor.set(withValueAt(editor.value, [method], ownWords))}>
                {t('payments.write')}
              </Button>
            ))
          }
        >
          {known.includes(method) ? (
            <InBoth>
              {(language) => (
                <>
                  <Field
                    editor={editor}
                    path={[method, 'name', language]}
                    label={t('payments.name')}
                    hint={t('payments.nameHint')}
                    nullable
                  />
                  <Field
                    editor={editor}
                    path={[method, language]}
                    label={t('payments.description')}
                    hint={t('payments.nameHint')}
                    nullable
                    area
                  />
                </>
              )}
            </InBoth>
          ) : (
            <p className={styles.quiet}>{t('payments.own')}</p>
          )}
        </Section>
      ))}
    </>
  )
}

const noSeller = { name: '', address: '', tax_ids: '', bank: null, contacts: null, tax_note: null }

function SellerFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  const set = (language: string, value: unknown) => editor.set(withValueAt(editor.value, [language], value))
  return (
    <>
      <p className={styles.quiet}>{t('seller.about')}</p>
      <InBoth>
        {(language) =>
          valueAt(editor.value, [language]) === null ? (
            <>
              <p className={styles.quiet}>{t('seller.none')}</p>
              {!editor.readOnly && (
                <Button size="small" onClick={() => set(language, noSeller)}>
                  {t('seller.write')}
                </Button>
              )}
            </>
          ) : (
            <>
              <Field editor={editor} path={[language, 'name']} label={t('seller.name')} />
              <Field editor={editor} path={[language, 'address']} label={t('seller.address')} />
              <Field
                editor={editor}
                path={[language, 'tax_ids']}
                label={t('seller.taxIds')}
                hint={t('seller.taxIdsHint')}
              />
              <Field editor={editor} path={[language, 'bank']} label={t('seller.bank')} nullable area />
              <Field editor={editor} path={[language, 'contacts']} label={t('seller.contacts')} nullable />
              <Field
                editor={editor}
                path={[language, 'tax_note']}
                label={t('seller.taxNote')}
                hint={t('seller.taxNoteHint')}
                nullable
              />
              {!editor.readOnly && (
                <Button size="small" variant="ghost" onClick={() => set(language, null)}>
                  {t('shop.remove')}
                </Button>
              )}
            </>
          )
        }
      </InBoth>
    </>
  )
}
