import type { Language } from '#contract/language'

/** The flag of a language. Decorative: the name of the language always stands beside it as text. */
export function LanguageFlag({ language }: { language: Language }) {
  return (
    <svg width="18" height="12" viewBox="0 0 18 12" aria-hidden="true" focusable="false">
      {language === 'ru' ? russia : britain}
      <rect x=".5" y=".5" width="17" height="11" fill="none" stroke="#000" strokeOpacity=".18" />
    </svg>
  )
}

const russia = (
  <>
    <path fill="#fff" d="M0 0h18v4H0z" />
    <path fill="#0039a6" d="M0 4h18v4H0z" />
    <path fill="#d52b1e" d="M0 8h18v4H0z" />
  </>
)

const britain = (
  <>
    <path fill="#012169" d="M0 0h18v12H0z" />
    <path stroke="#fff" strokeWidth="2.4" d="m0 0 18 12m0-12L0 12" />
    <path stroke="#c8102e" strokeWidth="1" d="m0 0 18 12m0-12L0 12" />
    <path stroke="#fff" strokeWidth="4" d="M9 0v12M0 6h18" />
    <path stroke="#c8102e" strokeWidth="2.2" d="M9 0v12M0 6h18" />
  </>
)
