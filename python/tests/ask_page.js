// What the page's own core answers: node ask_page.js PAGE < [{"model": path, "questions": [...]}, ...] > answers
"use strict";
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const { condensCore } = require(path.join(__dirname, "../../browser/core.js"));

(async () => {
  const [, text] = fs.readFileSync(process.argv[2], "utf8").match(/id="core">([^<]*)</);
  const core = await condensCore(zlib.gunzipSync(Buffer.from(text, "base64")));
  const told = (ask) => {
    try {
      return ask();
    } catch (error) {
      return { error: error.message };
    }
  };
  const answers = JSON.parse(fs.readFileSync(0, "utf8")).map(({ model, questions }) => ({
    opened: told(() => core.open(fs.readFileSync(model))),
    answers: questions.map((question) => told(() => ({ ...core.distribution(question), curve: [...core.curve()] }))),
  }));
  process.stdout.write(JSON.stringify(answers));
})();
