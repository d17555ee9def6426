// The language of the dashboard: that of the browser until the person chooses one, which this browser remembers.
import { createContext, type ReactNode, use, useEffect, useState } from 'react';

export const LANGUAGES = ['id', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const REMEMBERED = 'dashboard.language';

/** The same keys in another language: a text for a text, a function for a function. */
export type Translation<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string
    ? string
    : Texts[Key] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : Translation<Texts[Key]>;
};

interface LanguageChoice {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => undefined });

function isLanguage(text: string | null | undefined): text is Language {
  return LANGUAGES.some((language) => language === text);
}

function findLanguage(): Language {
  const remembered = localStorage.getItem(REMEMBERED);
  if (isLanguage(remembered)) return remembered;
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return wanted.find(isLanguage) ?? 'en';
}

export function LanguageProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState(findLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (chosen: Language): void => {
    localStorage.setItem(REMEMBERED, chosen);
    setLanguage(chosen);
  };
  return <LanguageContext value={{ language, choose }}>{children}</LanguageContext>;
}

/** Parts that customers read, in their language. */
export function FixedLanguage({
  language,
  children,
}: {
  readonly language: Language;
  readonly children: ReactNode;
}): ReactNode {
  const { choose } = useLanguage();
  return <LanguageContext value={{ language, choose }}>{children}</LanguageContext>;
}

export const useLanguage = (): LanguageChoice => use(LanguageContext);

/** The texts of an area in the language of the person. */
export function useTexts<Texts>(dictionary: Readonly<Record<Language, Texts>>): Texts {
  return dictionary[useLanguage().language];
}
