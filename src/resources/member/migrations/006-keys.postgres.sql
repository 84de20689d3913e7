-- PostgreSQL estimates what a word of the index finds too high, and would read all members for a whole key.
CREATE INDEX member_email ON member (email_folded);
CREATE INDEX member_telephone ON member (telephone_folded);
CREATE INDEX member_gender ON member (gender_code, member_number);
