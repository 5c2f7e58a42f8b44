/*
 * Which pages stand first in the results of the search?
 *
 * In: a result as Sphinx's search has it. Out: its score. Recipes and the guide answer what people ask; the reference is for names that
 * are typed whole; decisions and the changelog are found, but last.
 */
"use strict";

const FLOEBERG_FOLDERS = [
  [/^cookbook\//, 24],
  [/^guide\//, 16],
  [/^index$/, 4],
  [/^glossary$/, -4],
  [/^reference\//, -6],
  [/^(changelog|architecture)$/, -40],
  [/^decisions\//, -60],
];

var Scorer = {
  score: (result) => {
    const [docname, , , , score] = result;
    const found = FLOEBERG_FOLDERS.find(([folder]) => folder.test(docname));
    return score + (found ? found[1] : 0);
  },
  objNameMatch: 30,
  objPartialMatch: 3,
  objPrio: { 0: 10, 1: 4, 2: -4 },
  objPrioDefault: 0,
  title: 20,
  partialTitle: 9,
  term: 5,
  partialTerm: 2,
};
